/** `npm start` as a process, without npm in between. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export interface StartProcess {
  /** Everything it has printed so far. */
  readonly printed: () => string;
  /** What of it went to standard error. */
  readonly errors: () => string;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

export function start(args: readonly string[], env: NodeJS.ProcessEnv = process.env): StartProcess {
  const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let errors = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (stream === child.stderr) errors += text;
    });
  }
  return {
    printed: () => printed,
    errors: () => errors,
    ended: once(child, 'close').then(([code]) => code as number | null),
    kill: (signal) => void child.kill(signal),
  };
}

/** Waits until the process has printed something; fails with all that it printed. */
export async function printed(demo: StartProcess, pattern: RegExp): Promise<RegExpExecArray> {
  using limit = deadline(systemClock, 300_000, String(pattern));
  for (;;) {
    const match = pattern.exec(demo.printed());
    if (match) return match;
    if (limit.signal.aborted) assert.fail(`${pattern} was not printed:\n${demo.printed()}`);
    await sleep(systemClock, 20);
  }
}

/** The first line, which must be there within a second: in the best of some tries, for a busy machine proves nothing. */
export async function firstLine(args: readonly string[]): Promise<string> {
  const took: number[] = [];
  while (took.length < 5) {
    const begun = systemClock.monotonic();
    const demo = start(args);
    const [, line = ''] = await printed(demo, /^(.*)\n/);
    took.push(systemClock.monotonic() - begun);
    demo.kill('SIGKILL');
    await demo.ended;
    if (Math.min(...took) < 1000) return line;
  }
  return assert.fail(`the first line came after ${took.map(Math.round).join(', ')} ms`);
}
