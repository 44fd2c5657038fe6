/**
 * Virtual time: it stands still while anything can run, and jumps to the next timer when nothing can.
 *
 * Promises: timers fire in the order of their due times, those of one instant in the order in which they were set; between
 * two of them everything that the first one started has run to its end. So the same program does the same things at the
 * same instants every time, and ten hours take as long as what happens in them. The real event loop gets its turn between
 * any two of them, so that a test runner's timeout fires whatever the program under test does.
 * Does not: wait for sockets, files or other processes. What is driven by this clock must not need them.
 */
import type { Clock, Timer } from '@keelson/core';
import { nextTurn } from '@keelson/core/system';

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Where virtual time begins. */
export interface VirtualClockOptions {
  /** The wall time at which it begins, in milliseconds since the epoch. @default 2026-01-01T00:00:00Z */
  readonly startMs?: number;
}

/** More of them than any honest program sets for one instant, and fired within a second or two. */
const mostTimersOfAnInstant = 50_000;

/**
 * A clock that a test moves: time passes only while one of its methods runs.
 *
 * @example
 * const clock = new VirtualClock();
 * const waiting = sleep(clock, 3_600_000);
 * await clock.advance(3_600_000); // at once
 * await waiting;
 */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  #elapsedMs = 0;
  #order = 0;
  /** Sorted by due time and order. Tens of timers at most wait at a time, so insertion into an array is cheap. */
  readonly #pending: Pending[] = [];
  #breaths = 0;
  #breathing = 0;
  #atThisInstant = 0;
  #interruption: Error | undefined;

  constructor({ startMs = Date.UTC(2026, 0, 1) }: VirtualClockOptions = {}) {
    this.#startMs = startMs;
  }

  now(): number {
    return this.#startMs + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void): Timer {
    const pending: Pending = { dueMs: this.#elapsedMs + Math.max(delayMs, 0), order: this.#order++, callback };
    const at = this.#pending.findLastIndex(({ dueMs }) => dueMs <= pending.dueMs) + 1;
    this.#pending.splice(at, 0, pending);
    return {
      unref() {},
      [Symbol.dispose]: () => {
        const index = this.#pending.indexOf(pending);
        if (index >= 0) this.#pending.splice(index, 1);
      },
    };
  }

  /** Lets everything run that can run now. Time does not pass. */
  async settle(): Promise<void> {
    await this.#quiet();
    while (this.#fireNext(this.#elapsedMs)) await this.#quiet();
  }

  /** Lets `ms` pass, and everything happen that happens in them. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await this.#quiet();
    while (this.#fireNext(endMs)) await this.#quiet();
    this.#elapsedMs = endMs;
  }

  /**
   * Lets time pass from timer to timer until `holds` returns true, and returns how long that took. Gives up after
   * `limitMs` of virtual time, or when nothing is left that could happen, and returns `undefined`.
   */
  async advanceUntil(holds: () => boolean | Promise<boolean>, limitMs: number): Promise<number | undefined> {
    const startMs = this.#elapsedMs;
    const endMs = startMs + limitMs;
    await this.#quiet();
    while (!(await holds())) {
      if (!this.#fireNext(endMs)) return undefined;
      await this.#quiet();
    }
    return this.#elapsedMs - startMs;
  }

  /**
   * Gives the real event loop a turn while virtual time stands still. Whatever runs in microtasks alone and might never
   * come to an end takes a breath now and then; without, nothing else in the process ever runs again.
   */
  async breathe(): Promise<void> {
    this.#breaths += 1;
    this.#breathing += 1;
    await nextTurn();
    this.#breathing -= 1;
  }

  /** What a test must not overlook: the present wait, or else the next one, rejects with it. The first one counts. */
  interrupt(error: Error): void {
    this.#interruption ??= error;
  }

  /** The interruption that no wait has told yet; it is told by taking it. */
  takeInterruption(): Error | undefined {
    const interruption = this.#interruption;
    this.#interruption = undefined;
    return interruption;
  }

  /** Waits until nothing is left that could run without time passing. */
  async #quiet(): Promise<void> {
    for (let before = -1; this.#breathing > 0 || before !== this.#breaths; ) {
      before = this.#breaths;
      await nextTurn();
      const interruption = this.takeInterruption();
      if (interruption !== undefined) throw interruption;
    }
  }

  /** Fires the earliest timer that is due by `endMs`; false when there is none. */
  #fireNext(endMs: number): boolean {
    const [next] = this.#pending;
    if (next === undefined || next.dueMs > endMs) return false;
    this.#pending.shift();
    this.#atThisInstant = next.dueMs > this.#elapsedMs ? 0 : this.#atThisInstant + 1;
    if (this.#atThisInstant > mostTimersOfAnInstant)
      throw new Error(
        `Virtual time stands still at ${this.#elapsedMs} ms: ${mostTimersOfAnInstant} timers without a delay, each set by the one before or its like`,
      );
    this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
    next.callback();
    return true;
  }
}
