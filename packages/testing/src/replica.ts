/**
 * One replica of an operator: a process of its own, as far as the operator and the API server can tell.
 *
 * It can be stopped in order, killed without any order, and started again.
 */
import type { Clock, Operator, Random, Transport } from '@keelson/core';
import {
  createManager,
  type EngineOperator,
  type Logger,
  type ManagerOptions,
  type WebhookDoor,
} from '@keelson/runtime';
import type { Failures } from './failures.ts';
import { Mortal } from './mortal.ts';
import { type RealIoWatch, watchRealIo } from './real-io.ts';
import { withBreath } from './restless.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { during } from './waits.ts';

/** What a program that runs an operator is given in place of a process, a network and time. */
export interface ProgramProcess {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  /** No two replicas have the same. */
  readonly identity: string;
}

/** An operator that is written on the client by hand: what it declares, and how it runs. */
export interface OperatorProgram {
  readonly operator: Operator;
  /** Works until the signal is aborted; whatever ends it earlier fails the test. */
  readonly run: (process: ProgramProcess, signal: AbortSignal) => Promise<void>;
}

export interface ReplicaOptions {
  readonly operator: EngineOperator | OperatorProgram;
  /** 0 for the first. */
  readonly index: number;
  readonly transport: Transport;
  /** Where its webhooks are answered. */
  readonly webhooks: WebhookDoor | false;
  readonly clock: VirtualClock;
  readonly random: Random;
  readonly logger: Logger;
  /** Hears what a test must not overlook. */
  readonly onMisbehaviour: (problem: Misbehaviour, error: Error) => void;
  readonly failures: Failures;
}

/**
 * What an operator should not do: lack a right (`refusal`), repeat a request without end (`storm`), forget an `await` or
 * an outcome, or throw what is no error (`mistake`), wait for the real world (`real-io`), end by itself (`end`).
 */
export type Misbehaviour = 'refusal' | 'storm' | 'mistake' | 'real-io' | 'end';

interface Life {
  readonly process: Mortal;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly watch: RealIoWatch;
  /** What others reach of it, until it ends in whatever way. */
  readonly doors: Set<Disposable>;
}

/** A process that runs an operator, which a test can stop, kill and start again. */
export class Replica {
  readonly operator: Operator;
  readonly index: number;
  readonly #options: ReplicaOptions;
  #life: Life | undefined;

  constructor(options: ReplicaOptions) {
    this.operator = isProgram(options.operator) ? options.operator.operator : options.operator;
    this.index = options.index;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#life !== undefined;
  }

  /** Starts it, again or for the first time. Does nothing while it runs. */
  async start(): Promise<void> {
    if (this.#life !== undefined) return;
    const { operator: runnable, index, webhooks, clock, random, logger, onMisbehaviour, failures } = this.#options;
    const { operator } = this;
    const { name } = operator;
    const identity = `${name}-${index}`;
    const process = new Mortal(clock);
    const stop = new AbortController();
    const transport = withBreath(process.transport(this.#options.transport), {
      clock,
      name,
      onRestless: (error) => onMisbehaviour('storm', error),
    });
    const doors = new Set<Disposable>();
    const watch = watchRealIo(name, (error) => onMisbehaviour('real-io', error));
    const options: ManagerOptions = {
      transport,
      webhooks: webhooks && ((inside) => opened(webhooks, process.transport(watched(watch, inside)), doors)),
      clock: process.clock,
      random,
      logger,
      health: false,
      metrics: false,
      ...(operator.leaderElection && { leaderElection: { identity, lease: `operators/${name}` } }),
      onStorm: ({ controller, key, message }) =>
        onMisbehaviour('storm', new Error(`${name} does not come to rest at ${controller} ${key}: ${message}`)),
      onMistake: ({ controller, key, error }) =>
        onMisbehaviour(
          'mistake',
          new Error(`${name} has a mistake, seen at ${controller} ${key}: ${error.message}`, { cause: error }),
        ),
      onPass: (pass) => failures.note(operator, pass),
    };
    const ended = watch.run(() =>
      isProgram(runnable)
        ? runnable.run({ transport, clock: process.clock, random, identity }, stop.signal)
        : createManager(runnable, options).start(stop.signal),
    );
    const life = { process, stop, ended, watch, doors };
    this.#life = life;
    ended.then(
      () => this.#over(life, new Error(`${name} ended, although nobody had stopped it`)),
      (error: unknown) => this.#over(life, new Error(`${name} failed: ${messageOf(error)}`, { cause: error })),
    );
    await clock.settle();
  }

  /** Stops it as SIGTERM does: running reconciles finish, and it cleans up behind itself. */
  async stop(): Promise<void> {
    const life = this.#take();
    if (life === undefined) return;
    life.stop.abort(new Error('the operator was stopped'));
    try {
      await during(this.#options.clock, life.ended, `${this.operator.name} stops`);
    } finally {
      kill(life);
    }
  }

  /**
   * Stops it as SIGKILL does: it stands still where it is, no request of it reaches the server any more, no answer
   * reaches it, and nothing is cleaned up.
   */
  crash(): void {
    const life = this.#take();
    if (life !== undefined) kill(life);
  }

  #take(): Life | undefined {
    const life = this.#life;
    this.#life = undefined;
    life?.watch[Symbol.dispose]();
    return life;
  }

  #over(life: Life, problem: Error): void {
    if (this.#life !== life) return;
    this.#take();
    kill(life);
    this.#options.onMisbehaviour('end', problem);
  }
}

function kill({ process, doors }: Life): void {
  process.kill();
  for (const door of doors) door[Symbol.dispose]();
}

/** Opens a door that is closed by whoever has it, or with the process. */
function opened(door: WebhookDoor, transport: Transport, doors: Set<Disposable>): Disposable {
  const open = door(transport);
  doors.add(open);
  return open;
}

/** Whoever calls, what is done then is the operator's doing. */
const watched = (watch: RealIoWatch, transport: Transport): Transport => ({
  request: (request) => watch.run(() => transport.request(request)),
  [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
});

/** Whether an operator brings its own way to run. */
export const isProgram = (operator: ReplicaOptions['operator']): operator is OperatorProgram => 'run' in operator;

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
