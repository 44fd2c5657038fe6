/** Backoff between attempts to watch: doubles up to a ceiling, is spread by jitter, and starts over after a healthy while. */
import { type Clock, jitter, type Random } from '@keelson/core';

export interface WatchBackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** A failure later than this after the last one is a first one again. */
  readonly resetAfterMs: number;
}

export class WatchBackoff {
  readonly #options: WatchBackoffOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  #failures = 0;
  #lastFailureAt = Number.NEGATIVE_INFINITY;

  constructor(options: WatchBackoffOptions, clock: Clock, random: Random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** Notes a failure; how long to wait before the next attempt. */
  next(): number {
    const { baseMs, maxMs, resetAfterMs } = this.#options;
    const now = this.#clock.monotonic();
    if (now - this.#lastFailureAt > resetAfterMs) this.#failures = 0;
    const delayMs = jitter(this.#random, Math.min(maxMs, baseMs * 2 ** this.#failures), 1);
    this.#failures += 1;
    this.#lastFailureAt = now + delayMs; // the wait itself is not a healthy while
    return delayMs;
  }
}
