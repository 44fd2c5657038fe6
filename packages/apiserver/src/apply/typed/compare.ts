/**
 * What changed from one version of a value to the next, as three sets of fields.
 *
 * A field is in at most one of them. Containers that came or went as a whole are named beside what was in them.
 */
import { equalJson } from '@keelson/core';
import { differenceBelow, emptySet, fieldStep, type PathSet, PathSetBuilder } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList, memberOf } from './json.ts';
import { kindsOf } from './kind-of.ts';

export interface Comparison {
  readonly removed: PathSet;
  readonly modified: PathSet;
  readonly added: PathSet;
}

const noChange: Comparison = { removed: emptySet, modified: emptySet, added: emptySet };

export function compare(before: Json, after: Json, type: TypeSchema): Comparison {
  if (before === after) return noChange;
  const comparer = new Comparer();
  comparer.value(before, after, type);
  return comparer;
}

/** Without some fields and all that is below them. */
export function withoutFields({ removed, modified, added }: Comparison, fields: PathSet): Comparison {
  return {
    removed: differenceBelow(removed, fields),
    modified: differenceBelow(modified, fields),
    added: differenceBelow(added, fields),
  };
}

class Comparer implements Comparison {
  readonly removed = new PathSetBuilder();
  readonly modified = new PathSetBuilder();
  readonly added = new PathSetBuilder();
  readonly #path: string[] = [];

  value(before: Json, after: Json, type: TypeSchema): void {
    if (before === after) return;
    let isLeaf = false;
    for (const kind of kindsOf(type, before, after)) {
      if (kind === 'map' && type.map) isLeaf = this.#map(before, after, type.map);
      else if (kind === 'list' && type.list) isLeaf = this.#list(before, after, type.list);
      else isLeaf = this.#leaf(before, after);
    }
    if (isLeaf) return;
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
  }

  #leaf(before: Json, after: Json): true {
    if (before === undefined) this.added.insert(this.#path);
    else if (after === undefined) this.removed.insert(this.#path);
    else if (!equalJson(before, after)) this.modified.insert(this.#path);
    return true;
  }

  #at(step: string, before: Json, after: Json, type: TypeSchema): void {
    this.#path.push(step);
    this.value(before, after, type);
    this.#path.pop();
  }

  /** Two containers with nothing in them are compared as leaves, so that null and empty differ. */
  #map(before: Json, after: Json, map: MapType): boolean {
    const old = isObject(before) ? before : undefined;
    const now = isObject(after) ? after : undefined;
    if (map.relationship === 'atomic' || (isEmptyObject(old) && isEmptyObject(now))) return this.#leaf(before, after);
    for (const name of Object.keys(old ?? {})) this.#member(name, old, now, map);
    for (const name of Object.keys(now ?? {})) {
      if (old === undefined || !Object.hasOwn(old, name)) this.#member(name, old, now, map);
    }
    return false;
  }

  #member(name: string, old: JsonObject | undefined, now: JsonObject | undefined, map: MapType): void {
    const type = map.fields.get(name)?.type ?? map.additional ?? deducedSchema;
    this.#at(fieldStep(name), memberOf(old, name), memberOf(now, name), type);
  }

  #list(before: Json, after: Json, list: ListType): boolean {
    const old = isList(before) ? before : [];
    const now = isList(after) ? after : [];
    if (list.relationship === 'atomic' || (old.length === 0 && now.length === 0)) return this.#leaf(before, after);
    const oldItems = itemsByStep(old, list);
    const newItems = itemsByStep(now, list);
    for (const [step, items] of oldItems) this.#items(step, items, newItems.get(step) ?? [], list);
    for (const [step, items] of newItems) if (!oldItems.has(step)) this.#items(step, [], items, list);
    return false;
  }

  /** Duplicates are compared together, and nothing inside of them has an owner. */
  #items(step: string, old: JsonList, now: JsonList, list: ListType): void {
    const path = [...this.#path, step];
    if (old.length < 2 && now.length < 2) {
      this.#at(step, old[0], now[0], list.items);
    } else if (old.length >= 2 && now.length >= 2) {
      if (!equalJson(old, now)) this.modified.insert(path);
    } else if (old.length >= 2) {
      if (now.length > 0) this.#at(step, undefined, now[0], list.items);
      this.removed.insert(path);
    } else {
      if (old.length > 0) this.#at(step, old[0], undefined, list.items);
      this.added.insert(path);
    }
  }
}

function itemsByStep(items: JsonList, list: ListType): Map<string, Json[]> {
  const found = new Map<string, Json[]>();
  for (const item of items) {
    const step = itemStep(list, item);
    const same = found.get(step);
    if (same === undefined) found.set(step, [item]);
    else same.push(item);
  }
  return found;
}

function isEmptyObject(object: JsonObject | undefined): boolean {
  return object === undefined || Object.keys(object).length === 0;
}
