/** A call's lifetime: it ends with the first of its signals, or when its time is up. */
import { type Clock, DeadlineExceededError, type Timer } from '@keelson/core';

export class Lifetime implements Disposable {
  readonly #controller = new AbortController();
  readonly #parents: readonly AbortSignal[];
  readonly #timer: Timer;
  readonly #endsAt: number;
  readonly #clock: Clock;
  #expiry: DeadlineExceededError | undefined;

  constructor(clock: Clock, timeoutMs: number, action: string, parents: readonly AbortSignal[]) {
    if (!(timeoutMs > 0)) throw new RangeError(`${action}: timeoutMs must be greater than 0, not ${timeoutMs}`);
    this.#clock = clock;
    this.#endsAt = clock.monotonic() + timeoutMs;
    this.#parents = parents;
    this.#timer = clock.setTimer(timeoutMs, () => {
      this.#expiry = new DeadlineExceededError(action, timeoutMs);
      this.#controller.abort(this.#expiry);
    });
    for (const parent of this.#parents) {
      if (parent.aborted) this.#controller.abort(parent.reason);
      else parent.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What our signal's reason is if it was our own time that ended it, and not the caller's signal. */
  get expiry(): DeadlineExceededError | undefined {
    return this.#expiry;
  }

  remainingMs(): number {
    return this.#endsAt - this.#clock.monotonic();
  }

  /** What others also wait for: the end of this lifetime lets only us go. */
  async with<T>(shared: Promise<T>): Promise<T> {
    const { signal } = this.#controller;
    let onEnd: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      onEnd = () => reject(signal.reason);
      if (signal.aborted) onEnd();
      else signal.addEventListener('abort', onEnd, { once: true });
    });
    try {
      return await Promise.race([shared, ended]);
    } finally {
      if (onEnd) signal.removeEventListener('abort', onEnd);
    }
  }

  /** The rest may take as long as it likes; the signals still count. */
  stopTimer(): void {
    this.#timer[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.stopTimer();
    for (const parent of this.#parents) parent.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (event: Event) => this.#controller.abort((event.target as AbortSignal).reason);
}
