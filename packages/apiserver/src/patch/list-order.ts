/**
 * The order of a merged list: patched items in the patch's order, the others in the order that they had, interleaved
 * so that the others stay before what they were before.
 */
import type { Json, JsonList } from '../apply/typed/json.ts';
import { isObject } from '../object.ts';

/** What an item is recognised by: its merge key's value, or itself. */
export function identityOf(item: Json, mergeKey: string): Json {
  return mergeKey === '' ? item : isObject(item) ? item[mergeKey] : undefined;
}

/** `patchOrder` names all patched items; `liveOrder` is the list before the patch. */
export function inOrder(merged: JsonList, patchOrder: JsonList, liveOrder: JsonList, mergeKey: string): Json[] {
  const patchPlaces = placesOf(patchOrder, mergeKey);
  const livePlaces = placesOf(liveOrder, mergeKey);
  const patched = merged.filter((item) => patchPlaces.has(identityOf(item, mergeKey)));
  const others = merged.filter((item) => !patchPlaces.has(identityOf(item, mergeKey)));
  return interleaved(
    sorted(others, livePlaces, mergeKey),
    sorted(patched, patchPlaces, mergeKey),
    livePlaces,
    mergeKey,
  );
}

function placesOf(items: JsonList, mergeKey: string): ReadonlyMap<Json, number> {
  const places = new Map<Json, number>();
  for (const [index, item] of items.entries()) {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

function sorted(items: JsonList, places: ReadonlyMap<Json, number>, mergeKey: string): Json[] {
  const placeOf = (item: Json) => places.get(identityOf(item, mergeKey)) ?? -1;
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function interleaved(others: JsonList, patched: JsonList, live: ReadonlyMap<Json, number>, mergeKey: string): Json[] {
  const all: Json[] = [];
  let other = 0;
  for (const item of patched) {
    const place = live.get(identityOf(item, mergeKey));
    while (other < others.length && place !== undefined) {
      const before = live.get(identityOf(others[other], mergeKey));
      if (before === undefined || before >= place) break;
      all.push(others[other]);
      other++;
    }
    all.push(item);
  }
  return all.concat(others.slice(other));
}
