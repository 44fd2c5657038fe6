/**
 * A terminal into which a page is typed line by line: `cd` and `export` last, and what runs until Ctrl-C goes on beside
 * the lines that follow, as in a terminal of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

type Environment = Readonly<Record<string, string | undefined>>;

/** Commands that run until Ctrl-C. */
const staying = /^(npm run (dev|run)|npx keelson (dev|run|cluster start))\b/;

export class Terminal implements AsyncDisposable {
  #cwd: string;
  #env: Environment;
  readonly #staying: ChildProcess[] = [];

  constructor(cwd: string, env: Environment) {
    this.#cwd = cwd;
    this.#env = env;
  }

  /** Types a line. Gives what it has printed when it has ended or, if it stays, when that is enough. */
  async type(line: string, isEnough: (printed: string) => boolean): Promise<string> {
    const [, folder] = /^cd (\S+)$/.exec(line) ?? [];
    const [, name, value] = /^export (\w+)=(\S+)$/.exec(line) ?? [];
    if (folder !== undefined) this.#cwd = resolve(this.#cwd, folder);
    if (name !== undefined) this.#env = { ...this.#env, [name]: value };
    if (folder !== undefined || name !== undefined) return '';
    using limit = deadline(systemClock, 360_000, line);
    const stays = staying.test(line);
    const child = spawn('sh', ['-c', `exec 2>&1; ${line}`], {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true, // a group of its own, which Ctrl-C reaches as a whole
    });
    if (stays) this.#staying.push(child);
    let printed = '';
    await new Promise<void>((done) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
        if (stays && isEnough(printed)) done();
      });
      child.once('close', done);
      limit.signal.addEventListener('abort', () => {
        interrupt(child, 'SIGKILL');
        done();
      });
    });
    return printed;
  }

  /** Ctrl-C in every other terminal. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#staying) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const closed = once(child, 'close');
      interrupt(child, 'SIGINT');
      await closed;
    }
  }
}

function interrupt({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
