/** Keys that wait for a worker: higher priorities first, and within one the longest waiting first. */

export interface Waiting<Key> {
  readonly key: Key;
  readonly priority: number;
  readonly since: number;
}

export class WaitingLine<Key> {
  readonly #byPriority = new Map<number, Map<Key, Waiting<Key>>>();
  readonly #priorityOf = new Map<Key, number>();
  /** Highest first. There are few. */
  #priorities: number[] = [];

  get length(): number {
    return this.#priorityOf.size;
  }

  priorityOf(key: Key): number | undefined {
    return this.#priorityOf.get(key);
  }

  lengthAt(priority: number): number {
    return this.#byPriority.get(priority)?.size ?? 0;
  }

  push(waiting: Waiting<Key>): void {
    const { key, priority } = waiting;
    let line = this.#byPriority.get(priority);
    if (!line) {
      line = new Map();
      this.#byPriority.set(priority, line);
      this.#priorities = [...this.#byPriority.keys()].sort((a, b) => b - a);
    }
    line.set(key, waiting);
    this.#priorityOf.set(key, priority);
  }

  remove(key: Key): Waiting<Key> | undefined {
    const priority = this.#priorityOf.get(key);
    if (priority === undefined) return undefined;
    const line = this.#byPriority.get(priority);
    const waiting = line?.get(key);
    line?.delete(key);
    this.#priorityOf.delete(key);
    if (line?.size === 0) {
      this.#byPriority.delete(priority);
      this.#priorities = this.#priorities.filter((each) => each !== priority);
    }
    return waiting;
  }

  shift(): Waiting<Key> | undefined {
    const [highest] = this.#priorities;
    if (highest === undefined) return undefined;
    for (const key of this.#byPriority.get(highest)?.keys() ?? []) return this.remove(key);
    return undefined;
  }
}
