/**
 * Forgets past states as a real server makes etcd do it: every five minutes, all that is older than five minutes.
 *
 * Promises: pages and watches of the last five minutes can be gone on with, those of ten minutes ago cannot.
 * Does not: set a timer. A server that nobody asks has nothing to forget, and whoever asks it next asks for this too.
 */
import type { Clock } from '@keelson/core';
import type { Store } from './store.ts';

const intervalMs = 5 * 60_000;

export class Compactor {
  readonly #store: Store;
  readonly #clock: Clock;
  #lastAt: number;
  /** The store's revision then. */
  #revision: number;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#lastAt = clock.monotonic();
    this.#revision = store.revision;
  }

  /** To be called with every request, before it is answered. */
  passTime(): void {
    const intervals = Math.floor((this.#clock.monotonic() - this.#lastAt) / intervalMs);
    if (intervals === 0) return;
    // Nothing has been written since the last request, so what there is now is what there was an interval ago.
    this.#store.compact(intervals === 1 ? this.#revision : this.#store.revision);
    this.#lastAt += intervals * intervalMs;
    this.#revision = this.#store.revision;
  }
}
