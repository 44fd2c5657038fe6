/**
 * One pass: an author's function at work on one object, and the calls that it makes on its context.
 *
 * Promises: it is over when the function has answered, or when its time is up; every call on the context after that is
 * refused and reported, so nothing is written behind the back of the next pass. Its signal is aborted when it failed, and
 * when it returned while a call was running. A write that was not awaited is an error of the pass.
 * Does not: end a function that ignores its signal. `settled` says when it and its calls have come to rest.
 */
import { type Clock, type KubernetesObject, keyOf, OperatorError } from '@keelson/core';
import type { Logger } from '../log/logger.ts';

export interface PassOptions {
  /** Such as `reconcile of widget default/a`. */
  readonly what: string;
  /** `Infinity` for no limit. */
  readonly timeoutMs: number;
  /** Aborted when the operator has to stop. */
  readonly stop: AbortSignal;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears of calls that come after the function had returned; one that had failed may have left some behind. */
  readonly onLateCall?: (error: Error) => void;
}

/** The pass took longer than its controller allows. */
class PassTimeoutError extends OperatorError {
  override readonly name = 'PassTimeoutError';
  readonly code = 'ERR_PASS_TIMEOUT';
}

/** A call was not awaited: it was still running, or had not begun, when its pass ended. */
class NotAwaitedError extends OperatorError {
  override readonly name = 'NotAwaitedError';
  readonly code = 'ERR_NOT_AWAITED';
}

export const isPassTimeout = (error: unknown): boolean => error instanceof PassTimeoutError;

/** What a part of the context does when it is called. */
export type CallEffect =
  /** Something is read: it may be given up. */
  | 'read'
  /** Something is read piece by piece; there is no promise to reject. */
  | 'stream'
  /** Something is changed: whoever does not wait for it has forgotten something. */
  | 'write'
  /** Something is said without waiting for it; too late, it is dropped. */
  | 'tell';

interface Call {
  readonly name: string;
  readonly effect: CallEffect;
}

export class Pass {
  readonly #options: PassOptions;
  readonly #controller = new AbortController();
  readonly #running = new Map<Promise<unknown>, Call>();
  readonly #settled = Promise.withResolvers<void>();
  /** Why calls are refused, once they are. */
  #over: 'ended' | 'timed out' | undefined;
  #hasReturned = false;

  constructor(options: PassOptions) {
    this.#options = options;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Resolves when the function and all its calls have come to rest. Never rejects. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Gives what `work` gives. Rejects when its time is up, whether or not `work` heeds its signal. To be called once. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { stop, clock, timeoutMs, what } = this.#options;
    const expired = Promise.withResolvers<never>();
    const onStop = () => this.#controller.abort(stop.reason);
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop, { once: true });
    const timer = Number.isFinite(timeoutMs)
      ? clock.setTimer(timeoutMs, () =>
          expired.reject(new PassTimeoutError(`${what} did not finish within ${timeoutMs / 1000} s`)),
        )
      : undefined;
    timer?.unref(); // where nothing else is left to do, a hung pass keeps no process alive
    const answer = (async () => work())();
    void this.#settleAfter(answer);
    try {
      const value = await Promise.race([answer, expired.promise]);
      const forgotten = [...this.#running.values()].filter(({ effect }) => effect === 'write');
      if (forgotten.length > 0) {
        const calls = forgotten.map(({ name }) => name).join(', ');
        throw new NotAwaitedError(`${what} returned while ${calls} was still running: an await is missing`);
      }
      this.#hasReturned = true;
      this.#over = 'ended';
      // Whoever keeps the signal for later hears nothing when there is nothing to stop; an error costs its stack.
      if (this.#running.size > 0) this.#controller.abort(new NotAwaitedError(`${what} has ended`));
      return value;
    } catch (error) {
      this.#over = isPassTimeout(error) ? 'timed out' : 'ended';
      this.#controller.abort(error); // also for what the author runs beside the failure, of which nobody here knows
      throw error;
    } finally {
      timer?.[Symbol.dispose]();
      stop.removeEventListener('abort', onStop);
    }
  }

  /** The same object, whose methods know whether this pass is over. */
  guard<T extends object>(part: string, target: T, effectOf: (method: string) => CallEffect): T {
    return new Proxy(target, {
      get: (_, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function' || typeof property !== 'string') return value;
        return (...args: readonly unknown[]) => {
          const invoke = () => Reflect.apply(value, target, args) as unknown;
          // A client with other defaults is as much of this pass as the client itself.
          if (property === 'with') return this.guard(part, invoke() as object, effectOf);
          return this.#call({ name: `${part}.${property}(${subjectOf(args)})`, effect: effectOf(property) }, invoke);
        };
      },
    });
  }

  /** For the client under all of them: throws when the pass is over. */
  readonly assertOpen = (): void => {
    if (this.#over !== undefined)
      throw new NotAwaitedError(`${this.#options.what} has ${this.#over}; nothing was sent`);
  };

  #call(call: Call, invoke: () => unknown): unknown {
    if (this.#over !== undefined) return this.#refuse(call, this.#over);
    const result = invoke();
    if (!(result instanceof Promise)) return result;
    this.#running.set(result, call);
    const leave = () => void this.#running.delete(result);
    result.then(leave, leave);
    return result;
  }

  #refuse({ name, effect }: Call, over: 'ended' | 'timed out'): unknown {
    const { what, logger, onLateCall } = this.#options;
    const advice = over === 'ended' ? ': an await is missing' : '';
    const error = new NotAwaitedError(`${name} was called after the ${what} had ${over}${advice}; nothing was sent`);
    logger.error('A call on the context was refused: its pass is over', { call: name, error });
    if (this.#hasReturned) onLateCall?.(error);
    if (effect === 'tell') return undefined;
    if (effect === 'stream') throw error;
    const refused = Promise.reject(error);
    refused.catch(() => {}); // said above; who does wait for it gets it all the same
    return refused;
  }

  async #settleAfter(answer: Promise<unknown>): Promise<void> {
    await Promise.allSettled([answer]);
    await Promise.allSettled(this.#running.keys());
    this.#settled.resolve();
  }
}

/** What a call is about: `Deployment default/cache`. */
function subjectOf([kind, subject]: readonly unknown[]): string {
  const named = (kind as { readonly kind?: unknown } | null | undefined)?.kind;
  if (typeof named !== 'string') return '';
  if (typeof subject === 'string') return `${named} ${subject}`;
  const { metadata } = (subject ?? {}) as Partial<KubernetesObject>;
  return metadata?.name ? `${named} ${keyOf({ metadata })}` : named;
}
