/**
 * An index: finds objects by values that a function names for each.
 *
 * The values under which an object was filed are remembered, so that it is found again for removal even if the function
 * would name others by then.
 */
import { equalJson, type NamespacedName } from '@keelson/core';
import { ObjectList } from './object-list.ts';

/** The values under which an object is found. */
export type IndexFunction<T> = (object: T) => readonly string[];

export class ObjectIndex<T> {
  readonly values: IndexFunction<T>;
  readonly #onError: (error: Error) => void;
  readonly #objects = new Map<string, ObjectList<T>>();
  readonly #filedUnder = new Map<NamespacedName, readonly string[]>();

  /** A function that throws is reported; the object is then found under nothing. */
  constructor(values: IndexFunction<T>, onError: (error: Error) => void) {
    this.values = values;
    this.#onError = onError;
  }

  set(key: NamespacedName, object: T): void {
    const values = this.#valuesOf(object);
    const filed = this.#filedUnder.get(key);
    // In its place, as most changes leave it: taken out and put back, it would let maps grow and be made anew.
    if (equalJson(filed, values)) {
      for (const value of values) this.#objects.get(value)?.set(key, object);
      return;
    }
    this.delete(key);
    if (values.length === 0) return;
    this.#filedUnder.set(key, values);
    for (const value of values) {
      const objects = this.#objects.get(value) ?? new ObjectList<T>();
      objects.set(key, object);
      this.#objects.set(value, objects);
    }
  }

  delete(key: NamespacedName): void {
    for (const value of this.#filedUnder.get(key) ?? []) {
      const objects = this.#objects.get(value);
      objects?.delete(key);
      if (objects?.size === 0) this.#objects.delete(value);
    }
    this.#filedUnder.delete(key);
  }

  get(value: string): readonly T[] {
    return this.#objects.get(value)?.all ?? [];
  }

  #valuesOf(object: T): readonly string[] {
    try {
      const values: unknown = this.values(object);
      if (Array.isArray(values)) return values as string[];
      throw new TypeError('an index function must return an array of strings');
    } catch (error) {
      this.#onError(error instanceof Error ? error : new Error(String(error)));
      return [];
    }
  }
}
