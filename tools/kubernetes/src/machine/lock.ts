/**
 * One worker at a time, across processes.
 *
 * The lock is the kernel's (flock), held by a child that lives as long as our end of its pipe: if we die, however
 * we die, it is free again. So there is no stale lock to take over, and no race about who does.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from './context.ts';
import { UserFacingError } from './user-facing-error.ts';

/** Runs `work` alone. If another process is at it, says so (`what` names the work) and waits. */
export async function alone<T>(
  file: string,
  what: string,
  { progress, signal }: Pick<Context, 'progress' | 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  let release = await acquire(file, ['--nonblock'], signal);
  if (!release) {
    const holder = readFileSync(file, 'utf8').trim();
    progress.say(`Waiting for ${holder ? `process ${holder}` : 'another process'}, which is ${what}.`);
    release = await acquire(file, [], signal);
  }
  if (!release) throw new UserFacingError(`The lock ${file} could not be taken.`);
  try {
    writeFileSync(file, `${process.pid}\n`);
    return await work();
  } finally {
    await release();
  }
}

/** Resolves with the way to give the lock back, or with nothing if flock did not get it. */
function acquire(
  file: string,
  flags: readonly string[],
  signal: AbortSignal | undefined,
): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const holder = spawn('flock', [...flags, file, 'sh', '-c', 'echo held; exec cat'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = new Promise<void>((resolveEnded) => void holder.on('close', () => resolveEnded()));
    const onAbort = () => {
      holder.stdin.destroy();
      holder.kill('SIGKILL');
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    const settled = () => signal?.removeEventListener('abort', onAbort);
    holder.on('error', (error) => {
      settled();
      reject(new UserFacingError('flock (of util-linux) is not on this machine.', { cause: error }));
    });
    holder.on('close', () => {
      settled();
      resolve(undefined);
    });
    holder.stdout.once('data', () => {
      settled();
      resolve(() => {
        holder.stdin.end();
        return ended;
      });
    });
  });
}
