/** A TypeScript program of this repository in a process of its own, which is gone when disposed. */
import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { type Clock, deadline } from '@keelson/core';

const withinMs = 120_000;

export interface Program extends AsyncDisposable {
  readonly pid: number;
  /** Resolves with the first line on standard output that matches; rejects when the program ends without one. */
  line(pattern: RegExp): Promise<string>;
}

export function startProgram(args: readonly string[], clock: Clock): Program {
  const child = spawn(execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const lines: string[] = [];
  const watchers = new Set<(line: string) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const watcher of watchers) watcher(line);
  });
  return {
    pid: child.pid ?? 0,
    async line(pattern) {
      using limit = deadline(clock, withinMs, `waiting for ${pattern} of ${args.join(' ')}`);
      return await new Promise<string>((resolve, reject) => {
        const watcher = (line: string) => pattern.test(line) && resolve(line);
        limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
        void ended.then(() => reject(new Error(`${args.join(' ')} has ended: ${errors.trim() || lines.join('\n')}`)));
        lines.forEach(watcher);
        watchers.add(watcher);
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGINT');
      await ended;
    },
  };
}
