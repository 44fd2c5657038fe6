/**
 * Which objects of a collection are held as objects: those that were used last, up to a limit.
 *
 * Promises: whatever was used since it was last looked at is spared once more; the others cool in the order in which
 * they came. A cluster as tests have it is below the limit, and nothing in it is ever parsed twice.
 */

/** What can do without its object for a while. */
export interface Coolable {
  /** Lets the object go, unless it was used since the last call; true when it did. */
  cool(): boolean;
}

export class RecentObjects {
  readonly #limit: number;
  /** The one that came first is the next to cool. */
  readonly #held = new Set<Coolable>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(coolable: Coolable): void {
    this.#held.add(coolable);
    if (this.#held.size <= this.#limit) return;
    for (const oldest of this.#held) {
      this.#held.delete(oldest);
      if (oldest.cool()) return;
      this.#held.add(oldest);
    }
  }

  /** It needs no looking after any more. */
  delete(coolable: Coolable): void {
    this.#held.delete(coolable);
  }
}
