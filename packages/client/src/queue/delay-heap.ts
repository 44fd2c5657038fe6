/**
 * A binary heap of things that become due, the earliest on top. What is taken back or replaced leaves a gap that `pop`
 * skips; there are never more gaps than entries, but for a few.
 */

export interface Delayed<Key> {
  readonly key: Key;
  readonly dueAt: number;
  readonly priority: number;
}

export class DelayHeap<Key> {
  readonly #heap: Delayed<Key>[] = [];
  readonly #current = new Map<Key, Delayed<Key>>();

  get(key: Key): Delayed<Key> | undefined {
    return this.#current.get(key);
  }

  /** Entries and gaps. */
  get length(): number {
    return this.#heap.length;
  }

  /** Takes the place of an entry with the same key. */
  set(entry: Delayed<Key>): void {
    const known = this.#current.get(entry.key);
    if (known?.dueAt === entry.dueAt && known.priority === entry.priority) return;
    this.#current.set(entry.key, entry);
    this.#heap.push(entry);
    this.#siftUp(this.#heap.length - 1);
    this.#closeGaps();
  }

  delete(key: Key): void {
    this.#current.delete(key);
    this.#closeGaps();
  }

  clear(): void {
    this.#heap.length = 0;
    this.#current.clear();
  }

  peek(): Delayed<Key> | undefined {
    for (let top = this.#heap[0]; top; top = this.#heap[0]) {
      if (this.#current.get(top.key) === top) return top;
      this.#removeTop();
    }
    return undefined;
  }

  pop(): Delayed<Key> | undefined {
    const top = this.peek();
    if (!top) return undefined;
    this.#removeTop();
    this.#current.delete(top.key);
    return top;
  }

  #closeGaps(): void {
    if (this.#heap.length <= 64 || this.#heap.length <= 2 * this.#current.size) return;
    this.#heap.length = 0;
    for (const entry of this.#current.values()) {
      this.#heap.push(entry);
      this.#siftUp(this.#heap.length - 1);
    }
  }

  #removeTop(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#siftDown(0);
    }
  }

  #dueAt(at: number): number {
    return this.#heap[at]?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  #siftUp(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#dueAt(parent) <= this.#dueAt(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #siftDown(from: number): void {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      const child = this.#dueAt(left + 1) < this.#dueAt(left) ? left + 1 : left;
      if (this.#dueAt(at) <= this.#dueAt(child)) return;
      this.#swap(at, child);
      at = child;
    }
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]];
    if (!first || !second) return;
    this.#heap[a] = second;
    this.#heap[b] = first;
  }
}
