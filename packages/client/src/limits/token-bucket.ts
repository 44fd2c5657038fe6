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

  /** Takes a token in any case, and returns how many milliseconds must pass until it may be used. */
  reserve(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#qps) * 1000;
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#asOf) / 1000) * this.#qps);
    this.#asOf = now;
  }
}
