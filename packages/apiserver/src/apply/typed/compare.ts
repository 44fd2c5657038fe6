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
  return before === after ? noChange : new Comparer().compare(before, after, type);
}

/** Without some fields and all that is below them. */
export function withoutFields({ removed, modified, added }: Comparison, fields: PathSet): Comparison {
  return {
    removed: differenceBelow(removed, fields),
    modified: differenceBelow(modified, fields),
    added: differenceBelow(added, fields),
  };
}

type SetName = keyof Comparison;

/** A field of the value, with its places in the three sets, which are made when something is put there. */
class Place {
  removed: PathSetBuilder | undefined;
  modified: PathSetBuilder | undefined;
  added: PathSetBuilder | undefined;
  readonly #above: Place | undefined;
  readonly #step: string;

  constructor(above?: Place, step = '') {
    this.#above = above;
    this.#step = step;
  }

  /** The whole object belongs to no manager, so that it is in no set. */
  put(name: SetName): void {
    if (this.#above === undefined) return;
    const missing: Place[] = [];
    let place: Place | undefined = this;
    for (; place !== undefined && place[name] === undefined; place = place.#above) missing.push(place);
    let set = place?.[name];
    for (let below = missing.pop(); below; below = missing.pop()) {
      set = set?.child(below.#step) ?? new PathSetBuilder();
      below[name] = set;
    }
    if (set !== undefined) set.member = true;
  }
}

interface Pair {
  readonly place: Place;
  readonly before: Json;
  readonly after: Json;
  readonly type: TypeSchema;
}

class Comparer {
  /** What is still to be compared: a list in place of recursion, whatever the depth. */
  readonly #open: Pair[] = [];

  compare(before: Json, after: Json, type: TypeSchema): Comparison {
    const root = new Place();
    this.#add(root, before, after, type);
    for (let pair = this.#open.pop(); pair; pair = this.#open.pop()) this.#pair(pair);
    const { removed = emptySet, modified = emptySet, added = emptySet } = root;
    return { removed, modified, added };
  }

  #add(place: Place, before: Json, after: Json, type: TypeSchema): void {
    if (before !== after) this.#open.push({ place, before, after, type });
  }

  #pair({ place, before, after, type }: Pair): void {
    let isLeaf = false;
    for (const kind of kindsOf(type, before, after)) {
      if (kind === 'map' && type.map) isLeaf = this.#map(place, before, after, type.map);
      else if (kind === 'list' && type.list) isLeaf = this.#list(place, before, after, type.list);
      else isLeaf = leafOf(place, before, after);
    }
    if (isLeaf) return;
    if (before === undefined) place.put('added');
    else if (after === undefined) place.put('removed');
  }

  /** Two containers with nothing in them are compared as leaves, so that null and empty differ. */
  #map(place: Place, before: Json, after: Json, map: MapType): boolean {
    const old = isObject(before) ? before : undefined;
    const now = isObject(after) ? after : undefined;
    if (map.relationship === 'atomic' || (isEmptyObject(old) && isEmptyObject(now)))
      return leafOf(place, before, after);
    for (const name of Object.keys(old ?? {})) this.#member(place, name, old, now, map);
    for (const name of Object.keys(now ?? {})) {
      if (old === undefined || !Object.hasOwn(old, name)) this.#member(place, name, old, now, map);
    }
    return false;
  }

  #member(place: Place, name: string, old: JsonObject | undefined, now: JsonObject | undefined, map: MapType): void {
    const [before, after] = [memberOf(old, name), memberOf(now, name)];
    if (before === after) return;
    const type = map.fields.get(name)?.type ?? map.additional ?? deducedSchema;
    this.#add(new Place(place, fieldStep(name)), before, after, type);
  }

  #list(place: Place, before: Json, after: Json, list: ListType): boolean {
    const old = isList(before) ? before : [];
    const now = isList(after) ? after : [];
    if (list.relationship === 'atomic' || (old.length === 0 && now.length === 0)) return leafOf(place, before, after);
    const oldItems = itemsByStep(old, list);
    const newItems = itemsByStep(now, list);
    for (const [step, items] of oldItems) this.#items(new Place(place, step), items, newItems.get(step) ?? [], list);
    for (const [step, items] of newItems) {
      if (!oldItems.has(step)) this.#items(new Place(place, step), [], items, list);
    }
    return false;
  }

  /** Duplicates are compared together, and nothing inside of them has an owner. */
  #items(place: Place, old: JsonList, now: JsonList, list: ListType): void {
    if (old.length < 2 && now.length < 2) {
      this.#add(place, old[0], now[0], list.items);
    } else if (old.length >= 2 && now.length >= 2) {
      if (!equalJson(old, now)) place.put('modified');
    } else if (old.length >= 2) {
      if (now.length > 0) this.#add(place, undefined, now[0], list.items);
      place.put('removed');
    } else {
      if (old.length > 0) this.#add(place, old[0], undefined, list.items);
      place.put('added');
    }
  }
}

function leafOf(place: Place, before: Json, after: Json): true {
  if (before === undefined) place.put('added');
  else if (after === undefined) place.put('removed');
  else if (!equalJson(before, after)) place.put('modified');
  return true;
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
