/** Runs a program to its end. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '../machine/context.ts';
import { hasErrorCode, UserFacingError } from '../machine/user-facing-error.ts';

export type Command = readonly [program: string, ...args: string[]];

export interface Finished {
  /** The exit code; a program ended by a signal has 128 plus its number, as in a shell. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Environment | undefined;
  readonly cwd?: string | undefined;
  /** Standard input; without it there is none. */
  readonly input?: string | undefined;
  /** Aborting it ends the program. */
  readonly signal?: AbortSignal | undefined;
  /** How: a program that cleans up after itself wants `SIGINT`. @default 'SIGKILL' */
  readonly endWith?: NodeJS.Signals;
}

/** Rejects only when the program could not be started, or has ended after an abort; its own failure is in `code`. */
export function run(command: Command, options: RunOptions = {}): Promise<Finished> {
  const { env, cwd, input, signal, endWith = 'SIGKILL' } = options;
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const child = spawn(program, args, { stdio: 'pipe', ...(env && { env }), ...(cwd && { cwd }) });
    const onAbort = () => void child.kill(endWith);
    signal?.addEventListener('abort', onAbort, { once: true });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => {
      signal?.removeEventListener('abort', onAbort);
      reject(notStarted(program, error));
    });
    child.on('close', (code, endedBy) => {
      signal?.removeEventListener('abort', onAbort);
      if (signal?.aborted) reject(signal.reason);
      else resolve({ code: exitCode(code, endedBy), stdout, stderr });
    });
    child.stdin.on('error', () => {}); // a program may end without reading its input
    child.stdin.end(input ?? '');
  });
}

/** Like `run`, for a program whose failure is ours: it becomes a `UserFacingError` with the program's last line. */
export async function succeed(command: Command, options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, options);
  if (code !== 0) {
    throw new UserFacingError(`${command.join(' ')} failed with code ${code}: ${lastLine(stderr) || lastLine(stdout)}`);
  }
  return stdout;
}

export function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

export function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}

function notStarted(program: string, error: Error): Error {
  return hasErrorCode(error, 'ENOENT')
    ? new UserFacingError(`${program} is not on this machine.`, { cause: error })
    : error;
}
