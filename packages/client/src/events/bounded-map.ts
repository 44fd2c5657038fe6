/** A map that remembers the most recently used entries, up to a limit. */
export class BoundedMap<Key, Value> {
  readonly #limit: number;
  readonly #onEvicted: (value: Value) => void;
  /** Least recently used first, since a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Value>();

  constructor(limit: number, onEvicted: (value: Value) => void = () => {}) {
    this.#limit = limit;
    this.#onEvicted = onEvicted;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#limit) return;
    for (const [oldest, evicted] of this.#entries) {
      this.#entries.delete(oldest);
      this.#onEvicted(evicted);
      return;
    }
  }

  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}
