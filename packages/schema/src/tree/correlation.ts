/**
 * A value and what it was before an update, as far as the two can be told to be the same thing.
 *
 * Fields belong together by name, items of lists only where the list is a map, by its keys. Equality is looked up once.
 */
import { equalJson, isObject } from '@keelson/core';
import { listMapKey } from './list-map-key.ts';
import { fieldNode, type SchemaNode } from './schema-node.ts';

/** A value together with what it was before. */
export class Correlation {
  readonly #node: SchemaNode;
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #children = new Map<string | number, Correlation | undefined>();
  #oldItems: ReadonlyMap<string, unknown> | undefined;
  #isEqual: boolean | undefined;

  constructor(node: SchemaNode, value: unknown, old: unknown) {
    this.#node = node;
    this.#value = value;
    this.#old = old;
  }

  /** Undefined where there was no such field, or the schema knows none. */
  field(name: string): Correlation | undefined {
    const [value, old] = [this.#value, this.#old];
    return this.#child(name, () => {
      if (!isObject(value) || !isObject(old)) return undefined;
      const node = fieldNode(this.#node, name);
      if (node === undefined || !Object.hasOwn(value, name) || !Object.hasOwn(old, name)) return undefined;
      return new Correlation(node, value[name], old[name]);
    });
  }

  item(index: number): Correlation | undefined {
    return this.#child(index, () => {
      const keys = this.#node.listMapKeys;
      if (keys === undefined || this.#node.items === undefined || !Array.isArray(this.#value)) return undefined;
      this.#oldItems ??= itemsByKey(this.#old, keys);
      const item = this.#value[index];
      const key = listMapKey(item, keys);
      const old = key === undefined ? undefined : this.#oldItems.get(key);
      return old === undefined ? undefined : new Correlation(this.#node.items, item, old);
    });
  }

  #child(key: string | number, find: () => Correlation | undefined): Correlation | undefined {
    if (!this.#children.has(key)) this.#children.set(key, find());
    return this.#children.get(key);
  }

  /** Whether nothing has changed. The order of a list that is a map is no change; a field without schema is one. */
  isEqual(): boolean {
    this.#isEqual ??= this.#compare();
    return this.#isEqual;
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#node.listMapKeys === undefined) return equalJson(value, old);
      return value.every((_, i) => this.item(i)?.isEqual() ?? false);
    }
    if (isObject(value) && isObject(old)) {
      const names = Object.keys(value);
      return names.length === Object.keys(old).length && names.every((name) => this.field(name)?.isEqual() ?? false);
    }
    return equalJson(value, old);
  }
}

function itemsByKey(list: unknown, keys: readonly string[]): ReadonlyMap<string, unknown> {
  const items = new Map<string, unknown>();
  for (const item of Array.isArray(list) ? list : []) {
    const key = listMapKey(item, keys);
    if (key !== undefined && !items.has(key)) items.set(key, item);
  }
  return items;
}
