/** A subject in a fresh Node process, which is gone when disposed. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { env } from 'node:process';
import { type Clock, deadline } from '@keelson/core';
import type { Figures } from '../subjects/subject.ts';

const withinMs = 600_000;

export class SubjectProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #clock: Clock;
  readonly #what: string;
  #errors = '';

  constructor(subjects: string, program: string, args: readonly string[], clock: Clock) {
    this.#what = `${program} at ${args.join(' ')}`;
    this.#clock = clock;
    // As both are run in production; without it, ours would freeze what it stores.
    const options = { env: { ...env, NODE_ENV: 'production' }, execArgv: [], silent: true };
    this.#child = fork(join(subjects, `${program}.js`), args, options);
    this.#child.stdout?.resume();
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#ended = new Promise((resolve) => void this.#child.once('close', () => resolve()));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  say(word: string): void {
    this.#child.send(word);
  }

  /** The next figures that it tells; rejects when it ends without telling any. To be asked before they can come. */
  async figures(): Promise<Figures> {
    using limit = deadline(this.#clock, withinMs, `waiting for ${this.#what}`);
    return await new Promise<Figures>((resolve, reject) => {
      limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
      this.#child.once('message', (figures) => resolve(figures as Figures));
      void this.#ended.then(() => reject(new Error(`${this.#what} has ended without a figure: ${this.#errors}`)));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
