/**
 * A map that remembers the most recently used entries, up to a limit, and none that has become idle.
 *
 * Promises: what is evicted is told once. Entries are looked at when another is set, least recently used first, and only
 * as far as they are idle.
 */

interface BoundedMapOptions<Value> {
  readonly limit: number;
  /** Whether a new entry would be as good as this one. */
  readonly isIdle: (value: Value) => boolean;
  readonly onEvicted?: (value: Value) => void;
}

export class BoundedMap<Key, Value> {
  readonly #options: BoundedMapOptions<Value>;
  /** Least recently used first, since a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Value>();

  constructor(options: BoundedMapOptions<Value>) {
    this.#options = options;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    const { limit, isIdle, onEvicted } = this.#options;
    this.#entries.delete(key);
    for (const [oldest, old] of this.#entries) {
      if (this.#entries.size < limit && !isIdle(old)) break;
      this.#entries.delete(oldest);
      onEvicted?.(old);
    }
    this.#entries.set(key, value);
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}
