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

/** Says on standard error, before anything is printed, for how many milliseconds the process has worked until then. */
const workNoted = `
  const { write } = process.stdout;
  process.stdout.write = function (...args) {
    process.stdout.write = write;
    const { user, system } = process.cpuUsage();
    process.stderr.write('worked for ' + (user + system) / 1000 + ' ms\\n');
    return write.apply(this, args);
  };`;

/** The first line, which must be there within a second of work: how long others keep the machine busy is not counted. */
export async function firstLine(args: readonly string[]): Promise<string> {
  const preloaded = `--import=data:text/javascript,${encodeURIComponent(workNoted)}`;
  const demo = start(args, { ...process.env, NODE_OPTIONS: preloaded });
  const [, work] = await printed(demo, /worked for (\S+) ms\n/);
  const [, line = ''] = await printed(demo, /^(?!worked)(.*)\n/m);
  demo.kill('SIGKILL');
  await demo.ended;
  assert.ok(Number(work) < 1000, `the first line came after ${work} ms of work`);
  return line;
}
