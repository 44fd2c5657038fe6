/** Token bucket: `burst` at once, then `qps` a second. */
import type { Clock } from '@keelson/core';

export interface BucketOptions {
  /** How many a second, on average. */
  readonly qps: number;
  /** How many at once. */
  readonly burst: number;
}

export class TokenBucket {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  /** Below zero: tokens that are promised to those who wait. */
  #tokens: number;
  #asOf: number;

  constructor({ qps, burst }: BucketOptions, clock: Clock) {
    if (!(qps > 0)) throw new RangeError(`qps must be greater than 0, not ${qps}`);
    if (!(burst >= 1)) throw new RangeError(`burst must be at least 1, not ${burst}`);
    this.#qps = qps;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#asOf = clock.monotonic();
  }

  /**
   * Takes a token, and returns how many milliseconds must pass until it may be used. One that may be used only after
   * `withinMs` is not taken.
   */
  reserve(): number;
  reserve(withinMs: number): number | undefined;
  reserve(withinMs = Number.POSITIVE_INFINITY): number | undefined {
    this.#refill();
    const waitMs = Math.max(0, ((1 - this.#tokens) / this.#qps) * 1000);
    if (waitMs > 0 && waitMs >= withinMs) return undefined;
    this.#tokens -= 1;
    return waitMs;
  }

  /**
   * A reserved token will not be used. Others who wait keep their time, so the one who gets it next may go together with
   * one of them.
   */
  giveBack(): void {
    this.#refill();
    this.#tokens = Math.min(this.#burst, this.#tokens + 1);
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Whether nobody has taken one of late: it is as good as new. */
  get isFull(): boolean {
    this.#refill();
    return this.#tokens === this.#burst;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#asOf) / 1000) * this.#qps);
    this.#asOf = now;
  }
}
