/**
 * A value with another merged into it: maps by members, lists by items where they have owners of their own, and all
 * else replaced.
 *
 * Promises: nothing is removed; parts that do not change are shared, so that merging what is already there gives the
 * same value. Null replaces a leaf but not a map or list that has something in it.
 */
import { equalJson } from '@keelson/core';
import { type Part, workOut } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList, memberOf } from './json.ts';
import { kindOf } from './kind-of.ts';

export function merge(live: Json, wanted: Json, type: TypeSchema): Json {
  const merged = mergedAtOnce(live, wanted, type);
  return merged instanceof Merging ? workOut(merged) : merged;
}

/** The merged value, unless it is a map in which members have to be merged. */
function mergedAtOnce(live: Json, wanted: Json, type: TypeSchema): Json | Merging {
  if (wanted === undefined || wanted === live) return live;
  if (live === undefined) return wanted;
  const kind = kindOf(type, wanted);
  if (kind === 'map' && type.map?.relationship === 'granular') {
    if (isObject(live) && isObject(wanted)) return new Merging(live, wanted, type.map);
    if (isObject(live) && Object.keys(live).length > 0) return live;
  } else if (kind === 'list' && type.list !== undefined && type.list.relationship !== 'atomic') {
    if (isList(live) && live.length > 0) return isList(wanted) ? mergeItems(live, wanted, type.list) : live;
  }
  return equalJson(live, wanted) ? live : wanted;
}

/**
 * A map whose members are being merged. Maps of which nothing is known may be of any depth; lists whose items are merged
 * are no deeper than their schema, and may call themselves.
 */
class Merging implements Part<Json> {
  readonly #live: JsonObject;
  readonly #map: MapType;
  readonly #wanted: Iterator<[string, Json], undefined>;
  readonly #changes: [string, Json][] = [];
  #name = '';

  constructor(live: JsonObject, wanted: JsonObject, map: MapType) {
    this.#live = live;
    this.#map = map;
    this.#wanted = Object.entries(wanted)[Symbol.iterator]() as Iterator<[string, Json], undefined>;
  }

  next(): Merging | undefined {
    for (let next = this.#wanted.next(); !next.done; next = this.#wanted.next()) {
      const [name, value] = next.value;
      this.#name = name;
      const type = this.#map.fields.get(name)?.type ?? this.#map.additional ?? deducedSchema;
      const merged = mergedAtOnce(memberOf(this.#live, name), value, type);
      if (merged instanceof Merging) return merged;
      this.take(merged);
    }
    return undefined;
  }

  take(after: Json): void {
    if (after !== memberOf(this.#live, this.#name)) this.#changes.push([this.#name, after]);
  }

  result(): JsonObject {
    return this.#changes.length === 0 ? this.#live : { ...this.#live, ...Object.fromEntries(this.#changes) };
  }
}

/**
 * Items in the wanted order, with those that only the live list has after the ones that they followed there. Live items
 * that are there twice keep their places, and are replaced when the other list has them too.
 */
function mergeItems(live: JsonList, wanted: JsonList, list: ListType): JsonList {
  const liveSteps = live.map((item) => itemStep(list, item));
  const wantedSteps = wanted.map((item) => itemStep(list, item));
  const liveItems = new Map<string, Json>();
  for (const [index, step] of liveSteps.entries()) liveItems.set(step, liveItems.has(step) ? null : live[index]);
  const wantedItems = new Map(wantedSteps.map((step, index) => [step, wanted[index]]));
  const shared = wantedSteps.filter((step) => liveItems.has(step));
  const merged: Json[] = [];
  const done = new Set<string>();
  const take = (step: string) => {
    done.add(step);
    merged.push(merge(liveItems.get(step), wantedItems.get(step), list.items));
  };
  let nextShared = 0;
  let l = 0;
  let w = 0;
  while (l < live.length || w < wanted.length) {
    const liveStep = liveSteps[l];
    const wantedStep = wantedSteps[w];
    if (liveStep !== undefined && liveStep === wantedStep) {
      take(liveStep);
      l++;
      w++;
      nextShared++;
    } else if (
      liveStep !== undefined &&
      wantedStep !== undefined &&
      wantedItems.has(liveStep) &&
      nextShared < shared.length &&
      shared[nextShared] !== liveStep
    ) {
      l++; // shared, but its turn comes later
    } else if (liveStep !== undefined && !wantedItems.has(liveStep)) {
      merged.push(live[l]);
      l++;
    } else {
      if (liveStep !== undefined && done.has(liveStep)) l++;
      if (wantedStep !== undefined) {
        take(wantedStep);
        w++;
        if (shared[nextShared] === wantedStep) nextShared++;
      }
    }
  }
  return merged.length === live.length && merged.every((item, index) => item === live[index]) ? live : merged;
}
