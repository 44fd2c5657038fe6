/** Runs a program to its end. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Environment } from '../context.ts';
import { hasErrorCode, Problem } from '../problem.ts';

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
  /** Aborting it kills the program. */
  readonly signal?: AbortSignal | undefined;
}

/** Rejects only when the program could not be started, or was aborted; a failure of its own is in `code`. */
export function run(command: Command, options: RunOptions = {}): Promise<Finished> {
  const { env, cwd, input, signal } = options;
  const [program, ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: 'pipe',
      ...(env && { env }),
      ...(cwd && { cwd }),
      ...(signal && { signal, killSignal: 'SIGKILL' as const }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', (error) => reject(signal?.aborted ? signal.reason : notStarted(program, error)));
    child.on('close', (code, endedBy) => resolve({ code: exitCode(code, endedBy), stdout, stderr }));
    child.stdin.on('error', () => {}); // a program may end without reading its input
    child.stdin.end(input ?? '');
  });
}

/** Like `run`, for a program whose failure is ours: it becomes a `Problem` with the program's last words. */
export async function succeed(command: Command, options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await run(command, options);
  if (code !== 0) {
    throw new Problem(`${command.join(' ')} failed with code ${code}: ${lastLine(stderr) || lastLine(stdout)}`);
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
  return hasErrorCode(error, 'ENOENT') ? new Problem(`${program} is not on this machine.`, { cause: error }) : error;
}
