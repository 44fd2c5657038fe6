/** What a command gets from whoever runs it: a process, or a test in its own process. */
import { terminalPrompts } from './ask.ts';

export interface Shell {
  /** Where relative paths begin. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was asked for, on standard output. */
  readonly out: (text: string) => void;
  /** Problems, on standard error. */
  readonly err: (text: string) => void;
  /** Whether a person is there who sees what is printed and can answer. */
  readonly isInteractive: boolean;
  /** Whether standard output takes colours. */
  readonly color: boolean;
  /** How wide the terminal behind standard error is, where what was printed can be written over; without one, nothing. */
  readonly errColumns: () => number | undefined;
  /** Asks a question that yes or no answers, on standard error; only where a person is there. */
  readonly confirm: (question: string) => Promise<boolean>;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP, which no longer end the process by themselves from the first call on. */
  readonly stopSignal: () => AbortSignal;
}

/** The shell that this process was started from. */
export function processShell(): Shell {
  const { env, stdin, stdout, stderr } = process;
  const isInteractive = stdin.isTTY === true && stdout.isTTY === true;
  let stop: AbortController | undefined;
  return {
    cwd: process.cwd(),
    env,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isInteractive,
    // As most programs decide it: NO_COLOR and FORCE_COLOR before the terminal.
    color: !env.NO_COLOR && (Boolean(env.FORCE_COLOR) || stdout.isTTY === true),
    errColumns: () => (stderr.isTTY ? stderr.columns : undefined),
    confirm: async (question) =>
      (await terminalPrompts({ input: stdin, output: stderr }).yesNo(question, false)) ?? false,
    stopSignal() {
      if (stop !== undefined) return stop.signal;
      const made = new AbortController();
      stop = made;
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => made.abort());
      return made.signal;
    },
  };
}

/** Runs until it ends or is asked to; what fails because it was told to stop has not failed. */
export async function untilStopped(shell: Shell, run: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const signal = shell.stopSignal();
  try {
    await run(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Says what is being waited for, to a person alone: a script reads results. */
export function progress({ isInteractive, err }: Shell, text: string): void {
  if (isInteractive) err(`${text}…\n`);
}
