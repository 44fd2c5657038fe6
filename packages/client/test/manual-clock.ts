/** A clock that stands still until a test moves it, and randomness that does what the test says. */
import type { Clock, Random, Timer } from '@keelson/core';

interface Pending {
  readonly dueAt: number;
  readonly order: number;
  readonly callback: () => void;
}

export class ManualClock implements Clock {
  readonly #pending = new Set<Pending>();
  readonly #startedAt = Date.parse('2026-01-01T00:00:00Z');
  #elapsedMs = 0;
  #wallOffsetMs = 0;
  #order = 0;

  now(): number {
    return this.#startedAt + this.#elapsedMs + this.#wallOffsetMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const pending = { dueAt: this.#elapsedMs + Math.max(delayMs, 0), order: this.#order++, callback };
    this.#pending.add(pending);
    return {
      unref() {},
      [Symbol.dispose]: () => this.#pending.delete(pending),
    };
  }

  /** Timers that would ring if time went on. */
  get timers(): number {
    return this.#pending.size;
  }

  /** When the next timer rings, from now. */
  get nextInMs(): number | undefined {
    const next = this.#next();
    return next && next.dueAt - this.#elapsedMs;
  }

  /** Lets time pass: rings what is due, in order, and lets what that wakes run before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    await settled();
    for (let next = this.#next(); next && next.dueAt <= end; next = this.#next()) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueAt);
      this.#pending.delete(next);
      next.callback();
      await settled();
    }
    this.#elapsedMs = end;
  }

  /** Time passes and nothing runs, as if the process were stopped or its event loop blocked. */
  jump(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Only the wall clock moves, as when it is set, or the machine was suspended. */
  jumpWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  #next(): Pending | undefined {
    let first: Pending | undefined;
    for (const each of this.#pending) {
      if (!first || each.dueAt < first.dueAt || (each.dueAt === first.dueAt && each.order < first.order)) first = each;
    }
    return first;
  }
}

/** Lets everything run that needs no further event from outside. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

/** Always the same number, and uuids that count. */
export function steadyRandom(value = 0): Random {
  let made = 0;
  return {
    next: () => value,
    uuid: () => `00000000-0000-4000-8000-${(++made).toString(16).padStart(12, '0')}`,
  };
}
