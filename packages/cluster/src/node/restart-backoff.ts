/**
 * How long the kubelet waits before it tries again what failed: not at all, then 10 s, and twice as long each time, up to
 * five minutes. Ten minutes without a failure, and it begins anew.
 */

const initialMs = 10_000;
const maxMs = 300_000;
const forgottenAfterMs = 2 * maxMs;

export class RestartBackoff {
  #delayMs = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  /** How long the wait after a failure lasts at present. */
  get delayMs(): number {
    return this.#delayMs;
  }

  /** What is left of the wait after what failed at `failedAt`; 0 when it may be tried again. */
  leftMs(failedAt: number, now: number): number {
    return this.#isForgotten(failedAt) ? 0 : Math.max(0, failedAt + this.#delayMs - now);
  }

  /** The next try is made, after what failed at `failedAt`: the wait after it will be longer. */
  next(failedAt: number, now: number): void {
    const isFirst = this.#delayMs === 0 || this.#isForgotten(failedAt);
    this.#delayMs = isFirst ? initialMs : Math.min(2 * this.#delayMs, maxMs);
    this.#countedAt = now;
  }

  #isForgotten(failedAt: number): boolean {
    return failedAt - this.#countedAt > forgottenAfterMs;
  }
}
