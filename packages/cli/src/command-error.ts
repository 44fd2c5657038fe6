/**
 * What becomes of a command that did not work: one sentence with what to do next, and the exit code.
 *
 * 0: done. 1: it could not be done, or what was checked is not as it should be. 2: the command line makes no sense.
 */

/** Something could not be done. The message is `problem; next.`, for a person who wants to go on. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: number = 1;
  /** The first half, for whoever knows a better way on. */
  readonly problem: string;

  constructor(problem: string, next?: string, options?: ErrorOptions) {
    super(next === undefined ? problem : `${problem}; ${next}.`, options);
    this.problem = problem;
  }
}

/** The command line makes no sense: flags that contradict each other, or one that is missing. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

/** The command has printed what is wrong, such as drift; nothing is left to say but the exit code. */
export class Discrepancy extends Error {
  override readonly name = 'Discrepancy';
  readonly exitCode: number;

  constructor(message?: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The text for standard error, and the exit code. */
export async function failureOf(error: unknown): Promise<{ readonly text: string; readonly exitCode: number }> {
  if (error instanceof Discrepancy) return { text: '', exitCode: error.exitCode };
  if (error instanceof CommandError) return { text: error.message, exitCode: error.exitCode };
  return { text: await textOf(error), exitCode: 1 };
}

async function textOf(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  // Loaded late: `keelson --help` needs none of it.
  const [{ isConfigError }, { isForbidden, isTransportError, isUnauthorized }] = await Promise.all([
    import('@keelson/client'),
    import('@keelson/core'),
  ]);
  if (isConfigError(error) && message.startsWith('no cluster is configured')) {
    return `${message}; "keelson cluster start" runs one on this machine.`;
  }
  if (isTransportError(error)) {
    const asked = message.endsWith('?') ? message : `${message}; does the cluster run?`;
    return `${asked} "keelson doctor" looks closer.`;
  }
  if (isUnauthorized(error)) return `${message}; the credentials in the kubeconfig are wrong or have expired.`;
  if (isForbidden(error)) return `${message}; "keelson doctor" lists the rights that are missing.`;
  // A mistake in a program, ours or the author's: the message alone leads nowhere.
  const isMistake = error instanceof TypeError || error instanceof ReferenceError || error instanceof SyntaxError;
  return isMistake && !('code' in error) ? (error.stack ?? message) : message;
}
