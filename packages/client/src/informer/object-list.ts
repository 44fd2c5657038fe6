/**
 * Objects by key, and all of them as one array.
 *
 * The array is made when it is asked for, and given out again until something changes; so it is frozen, and whoever has
 * one keeps what it has.
 */
import type { NamespacedName } from '@keelson/core';

export class ObjectList<T> {
  readonly #objects = new Map<NamespacedName, T>();
  #all: readonly T[] | undefined;

  get size(): number {
    return this.#objects.size;
  }

  /** In the order in which their keys came. */
  get all(): readonly T[] {
    this.#all ??= Object.freeze([...this.#objects.values()]);
    return this.#all;
  }

  get(key: NamespacedName): T | undefined {
    return this.#objects.get(key);
  }

  set(key: NamespacedName, object: T): void {
    this.#objects.set(key, object);
    this.#all = undefined;
  }

  delete(key: NamespacedName): void {
    this.#objects.delete(key);
    this.#all = undefined;
  }

  [Symbol.iterator](): Iterator<[NamespacedName, T]> {
    return this.#objects[Symbol.iterator]();
  }
}
