/**
 * A process that can die: its clock and its way to the API server, both of which end with it.
 *
 * Promises: after `kill` no timer of it fires, none of its requests reaches the server, and no answer reaches it. So its
 * code stands still at its next `await`, and nothing of it is cleaned up: what SIGKILL does.
 * Does not: stop code that awaits neither.
 */
import type { Clock, Timer, Transport, TransportRequest, TransportResponse } from '@keelson/core';

export class Mortal {
  readonly clock: Clock;
  readonly #death = new AbortController();
  readonly #timers = new Set<Timer>();

  constructor(clock: Clock) {
    this.clock = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (delayMs, callback) => this.#setTimer(clock, delayMs, callback),
    };
  }

  get isDead(): boolean {
    return this.#death.signal.aborted;
  }

  kill(): void {
    for (const timer of this.#timers) timer[Symbol.dispose]();
    this.#timers.clear();
    this.#death.abort(new Error('the process was killed'));
  }

  transport(transport: Transport): Transport {
    return {
      request: (request) => this.#request(transport, request),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  }

  #setTimer(clock: Clock, delayMs: number, callback: () => void): Timer {
    if (this.isDead) return { unref() {}, [Symbol.dispose]() {} };
    const timer = clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
    return {
      unref: () => timer.unref(),
      [Symbol.dispose]: () => {
        this.#timers.delete(timer);
        timer[Symbol.dispose]();
      },
    };
  }

  async #request(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    if (this.isDead) return never();
    const end = new AbortController();
    const onAbort = () => end.abort(request.signal?.reason);
    const onDeath = () => end.abort(this.#death.signal.reason);
    const release = () => {
      request.signal?.removeEventListener('abort', onAbort);
      this.#death.signal.removeEventListener('abort', onDeath);
    };
    if (request.signal?.aborted) onAbort();
    request.signal?.addEventListener('abort', onAbort, { once: true });
    this.#death.signal.addEventListener('abort', onDeath, { once: true });
    const response = await this.#alive(transport.request({ ...request, signal: end.signal }), release);
    return { ...response, body: this.#body(response.body, release) };
  }

  async *#body(body: AsyncIterable<Uint8Array>, release: () => void): AsyncIterable<Uint8Array> {
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await this.#alive(iterator.next(), release);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      release();
      await iterator.return?.();
    }
  }

  /** What comes of `work`, unless the process dies meanwhile: then nothing ever does. */
  async #alive<T>(work: Promise<T>, onFailure: () => void): Promise<T> {
    try {
      const result = await work;
      return this.isDead ? never() : result;
    } catch (error) {
      onFailure();
      if (this.isDead) return never();
      throw error;
    }
  }
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});
