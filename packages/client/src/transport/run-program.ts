/**
 * Runs a program that prints an answer, and does not let it hold us up.
 *
 * Promises: settles at the end of the program, or at once when it takes too long, prints too much or is no longer wanted;
 * then it is killed with all that it started. A wrapper's child that keeps our pipes open delays nothing.
 * Does not: give it any input, or a terminal.
 */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Clock } from '@keelson/core';

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** For what it prints and what it complains, each. */
  readonly maxOutputBytes: number;
  /** Ends the program; the run then fails with the signal's reason. */
  readonly signal: AbortSignal;
}

export type Run =
  | { readonly type: 'ended'; readonly how: number | NodeJS.Signals; readonly stdout: string; readonly stderr: string }
  /** `code` is the system's, and absent if there is no program that these arguments can be given to. */
  | { readonly type: 'not started'; readonly code: string | undefined }
  | { readonly type: 'too late' }
  | { readonly type: 'too much' };

type Child = Pick<ChildProcess, 'pid' | 'kill' | 'unref' | 'on'> & {
  readonly stdout?: Readable;
  readonly stderr?: Readable;
};

/** Windows has no process groups, and would show a detached program in a window. */
const hasGroups = process.platform !== 'win32';

export async function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<Run> {
  const { env, clock, timeoutMs, maxOutputBytes, signal } = options;
  const { spawn } = await import('node:child_process'); // late: six milliseconds, and most have no plugin
  signal.throwIfAborted();
  let child: Child;
  try {
    // Detached: the leader of a group, so that what it starts can be ended with it.
    child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: hasGroups, windowsHide: true });
  } catch {
    return { type: 'not started', code: undefined }; // Node's message quotes the argument that it does not like
  }
  const { promise, resolve, reject } = Promise.withResolvers<Run>();
  const tooMuch = () => resolve({ type: 'too much' });
  const stdout = collect(child.stdout, maxOutputBytes, tooMuch);
  const stderr = collect(child.stderr, maxOutputBytes, tooMuch);
  child.on('error', ({ code }: NodeJS.ErrnoException) => resolve({ type: 'not started', code }));
  child.on('close', (code, killedBy) => {
    resolve({ type: 'ended', how: killedBy ?? code ?? 0, stdout: stdout(), stderr: stderr() });
  });
  using _ = clock.setTimer(timeoutMs, () => resolve({ type: 'too late' }));
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let run: Run | undefined;
  try {
    run = await promise;
    return run;
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (run?.type !== 'ended') end(child);
  }
}

/** Without a stream if there were no files left to make it: then the program was not started. */
function collect(stream: Readable | undefined, maxBytes: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('error', () => {}); // what was read until then counts
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) onTooMuch();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function end(child: Child): void {
  if (child.pid !== undefined) {
    try {
      // A group keeps its number as long as anyone is in it, also after its leader has ended.
      if (hasGroups) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // all of it is gone already
    }
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}
