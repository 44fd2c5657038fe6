/** Time that is moved by hand, and randomness that repeats: what makes a run in process a matter of its inputs alone. */
import { type Clock, type Random, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export class VirtualClock implements Clock {
  #now = Date.parse('2026-01-01T00:00:00Z');
  #sequence = 0;
  readonly #timers = new Map<number, { readonly dueAt: number; readonly callback: () => void }>();

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(delayMs: number, callback: () => void) {
    const id = this.#sequence++;
    this.#timers.set(id, { dueAt: this.#now + Math.max(0, delayMs), callback });
    return { unref() {}, [Symbol.dispose]: () => void this.#timers.delete(id) };
  }

  /** Lets everything run that can without time passing: a turn of the real loop begins only when no microtask is left. */
  async settle(): Promise<void> {
    await sleep(systemClock, 0);
  }

  /** Moves time to the next timers, if there are any within `maxMs`; else by `maxMs`. */
  async step(maxMs: number): Promise<void> {
    await this.settle();
    const next = Math.min(...[...this.#timers.values()].map(({ dueAt }) => dueAt));
    this.#now = Math.min(next, this.#now + maxMs);
    const due = [...this.#timers].filter(([, { dueAt }]) => dueAt <= this.#now);
    // One after the other as they were set; a timer may take back another that is due as well.
    for (const [id, { callback }] of due) if (this.#timers.delete(id)) callback();
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (this.#now < end) await this.step(end - this.#now);
    await this.settle();
  }
}

/** Mulberry32: small, and good enough for names. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const hex = (length: number) => Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join('');
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}` };
}
