/**
 * A process that `keelson dev` runs an operator in, and `keelson run` a program.
 *
 * It has a process group of its own, so that Ctrl-C reaches it once and in order, through us; and a channel to us, by
 * which it ends when we are gone.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { deadline } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { CommandError } from './command-error.ts';
import type { FromChild, Loaded, ToChild } from './dev-messages.ts';
import type { DevWebhooks } from './dev-webhooks.ts';
import type { OperatorChoice } from './operator-module.ts';

/** Longer than the operator's own grace period. */
const patienceMs = 4000;

export class OperatorProcess {
  readonly #child: ChildProcess;
  /** The exit code, or the name of the signal. */
  readonly ended: Promise<number | string>;
  #isOver = false;
  #isStopped = false;

  private constructor(argv: readonly string[], env: NodeJS.ProcessEnv) {
    const child = spawn(process.execPath, argv, {
      env,
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const kill = () => void child.kill('SIGKILL');
    process.once('exit', kill);
    this.#child = child;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      process.off('exit', kill);
      this.#isOver = true;
      return (code ?? signal) as number | string;
    });
  }

  /** One that waits for an operator to load. */
  static waiting(env: NodeJS.ProcessEnv): OperatorProcess {
    return new OperatorProcess([fileURLToPath(import.meta.resolve('#dev-child'))], env);
  }

  /** A program of the author's, which runs the operator by itself. */
  static program(main: string, argv: readonly string[], env: NodeJS.ProcessEnv): OperatorProcess {
    return new OperatorProcess(['--import', import.meta.resolve('#dev-tether'), main, ...argv], env);
  }

  /** Whether it has ended, or was told to. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls back if it ends, and nobody told it to. */
  onEndedAlone(callback: (how: number | string) => void): void {
    void this.ended.then((how) => {
      if (!this.#isStopped) callback(how);
    });
  }

  /** Loads the operator; what is wrong with it is a `CommandError`. */
  async load({ cwd, operator }: OperatorChoice, webhooks?: DevWebhooks['place']): Promise<Loaded> {
    const answer = new Promise<FromChild>((resolve) => {
      this.#child.once('message', (message) => resolve(message as FromChild));
    });
    this.#send({ type: 'load', cwd, operator, webhooks });
    const failed = this.ended.then(
      (how): FromChild => ({ type: 'failed', text: `the operator's module ended its process (${how})` }),
    );
    const message = await Promise.race([answer, failed]);
    if (message.type === 'failed') throw new CommandError(message.text);
    return message;
  }

  /** Runs what was loaded. */
  go(argv: readonly string[]): void {
    this.#send({ type: 'go', argv });
  }

  /** Ends it in order, and soon in any case. */
  async stop(withinMs = patienceMs): Promise<void> {
    this.#isOver = true;
    this.#isStopped = true;
    this.#child.kill('SIGTERM');
    using limit = deadline(systemClock, withinMs, 'stop');
    limit.signal.addEventListener('abort', () => this.#child.kill('SIGKILL'), { once: true });
    await this.ended;
  }

  #send(message: ToChild): void {
    // One that has ended is told of by `ended`.
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
