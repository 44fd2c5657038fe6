/**
 * Reports errors, and those that come again and again as one: five of their like at once, then how many more there were,
 * once in ten seconds. Like are those that differ only in numbers. Of a hundred likes and more, the rest is one.
 */
import type { Clock, Timer } from '@keelson/core';

const intervalMs = 10_000;
const maxToldAtOnce = 5;
const maxLikes = 100;
const others = '';

interface Like {
  readonly since: number;
  told: number;
  repeats: number;
  last: Error;
}

export class RepeatedErrors implements Disposable {
  readonly #report: (error: Error) => void;
  readonly #clock: Clock;
  readonly #likes = new Map<string, Like>();
  #timer: Timer | undefined;

  constructor(report: (error: Error) => void, clock: Clock) {
    this.#report = report;
    this.#clock = clock;
  }

  report(error: Error): void {
    const now = this.#clock.monotonic();
    const own = error.message.slice(0, 200).replace(/\d+/g, '#');
    const name = this.#likes.has(own) || this.#likes.size < maxLikes ? own : others;
    const like = this.#likes.get(name);
    if (like && now - like.since < intervalMs) {
      if (like.told < maxToldAtOnce) {
        like.told += 1;
        this.#report(error);
        return;
      }
      like.repeats += 1;
      like.last = error;
      this.#timer ??= this.#clock.setTimer(intervalMs, () => this.#reportRepeats());
      return;
    }
    if (like) this.#reportCount(like);
    this.#likes.set(name, { since: now, told: 1, repeats: 0, last: error });
    this.#report(error);
  }

  /** Reports what was counted and not reported yet. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    for (const like of this.#likes.values()) this.#reportCount(like);
    this.#likes.clear();
  }

  #reportRepeats(): void {
    this.#timer = undefined;
    const now = this.#clock.monotonic();
    for (const [name, like] of this.#likes) {
      if (now - like.since < intervalMs) continue;
      this.#likes.delete(name);
      this.#reportCount(like);
      // It goes on, so the next of its like is no news either.
      if (like.repeats > 0) this.#likes.set(name, { since: now, told: maxToldAtOnce, repeats: 0, last: like.last });
    }
    const isCounting = [...this.#likes.values()].some(({ repeats }) => repeats > 0);
    if (isCounting) this.#timer = this.#clock.setTimer(intervalMs, () => this.#reportRepeats());
  }

  #reportCount({ repeats, last }: Like): void {
    if (repeats === 0) return;
    const times = repeats === 1 ? 'once' : `${repeats} times`;
    this.#report(new Error(`${last.message} (${times} more, or the like, in ${intervalMs / 1000} s)`, { cause: last }));
  }
}
