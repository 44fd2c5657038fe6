/** Outcome: the answer of a reconciler that did not throw. */

export type Outcome =
  | { readonly type: 'done' }
  /** For what cannot be watched: look again after this time, whatever happens in between. */
  | { readonly type: 'requeue'; readonly afterMs: number };

/** Nothing left to do until something changes. */
export const done: Outcome = { type: 'done' };

export function requeueAfter(afterMs: number): Outcome {
  if (!(afterMs > 0)) throw new RangeError(`requeueAfter: afterMs must be greater than 0, received ${afterMs}`);
  return { type: 'requeue', afterMs };
}

/** Trying again cannot help: report, and wait for the object to change. Any other error is retried with backoff. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly code = 'ERR_TERMINAL';
}

export function isTerminal(error: unknown): error is TerminalError {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'ERR_TERMINAL';
}
