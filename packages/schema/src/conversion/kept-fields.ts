/**
 * What one version of an object has and another cannot say: found by going there and back, and put in again later.
 *
 * Promises: what was kept comes back where going back gives what it gave then; where that is something else, because
 * somebody changed it, their change counts, and what they took away stays away.
 */
import { equalJson, isObject, type JsonObject } from '@keelson/core';
import { setField } from '../tree/change.ts';
import { listMapKey } from '../tree/list-map-key.ts';
import { fieldNode, type SchemaNode } from '../tree/schema-node.ts';
import { alignedItems } from './aligned-items.ts';

/** Fields of an object that differ from those that its other version lets infer; of each, absent means that it was. */
export interface KeptFields {
  readonly kept?: unknown;
  readonly inferred?: unknown;
}

/** What has to be kept of `value`, if all that remains is what lets `inferred` be made again; undefined for nothing. */
export function keptFields(value: unknown, inferred: unknown): KeptFields | undefined {
  if (value === inferred) return undefined;
  if (!isObject(value) || !isObject(inferred)) {
    if (equalJson(value, inferred)) return undefined;
    return { ...(value !== undefined && { kept: value }), ...(inferred !== undefined && { inferred }) };
  }
  const kept: Record<string, unknown> = {};
  const instead: Record<string, unknown> = {};
  for (const name of namesOf(value, inferred)) {
    const field = keptFields(own(value, name), own(inferred, name));
    if (field?.kept !== undefined) setField(kept, name, field.kept);
    if (field?.inferred !== undefined) setField(instead, name, field.inferred);
  }
  const isEmpty = Object.keys(kept).length === 0 && Object.keys(instead).length === 0;
  return isEmpty ? undefined : { kept, inferred: instead };
}

/** Where in the two schemas a value stands: of the version that it is made for, and of the one that it comes from. */
export interface Place {
  /** Says which items of lists are the same. */
  readonly to: SchemaNode | undefined;
  /** Absent where that version has nothing of the kind, so that nobody can have taken it away there. */
  readonly from: SchemaNode | undefined;
}

/** The value `now`, which was made again, with what was kept. */
export function restoredFields(at: Place, { kept, inferred }: KeptFields, now: unknown): unknown {
  if (isObject(kept) && isObject(now) && (inferred === undefined || isObject(inferred))) {
    return restoredObject(at, kept, inferred ?? {}, now);
  }
  if (equalJson(inferred, now)) return kept;
  return isListOfObjects(kept) && isListOfObjects(inferred) && isListOfObjects(now)
    ? restoredList(at, kept, inferred, now)
    : now;
}

function restoredObject(at: Place, kept: JsonObject, inferred: JsonObject, now: JsonObject): JsonObject {
  const result: Record<string, unknown> = { ...now };
  for (const name of namesOf(kept, inferred)) {
    const restored = restoredField(
      { to: fieldNode(at.to, name), from: fieldNode(at.from, name) },
      { kept: own(kept, name), inferred: own(inferred, name) },
      own(now, name),
    );
    if (restored === undefined) delete result[name];
    else setField(result, name, restored);
  }
  return result;
}

/**
 * Of an object that was not there at all, what was added to it since is there alone. Of one that is made of fields which
 * stand elsewhere, and are gone, what was kept stays.
 */
function restoredField(at: Place, field: KeptFields, now: unknown): unknown {
  const { kept, inferred } = field;
  const wasAbsent = kept === undefined && isObject(inferred) && isObject(now) && !equalJson(inferred, now);
  if (wasAbsent) return restoredObject(at, {}, inferred, now);
  if (at.from !== undefined || now !== undefined || !isObject(kept) || !isObject(inferred)) {
    return restoredFields(at, field, now);
  }
  const left = restoredObject(at, kept, inferred, {});
  return Object.keys(left).length === 0 ? undefined : left;
}

type Items = readonly JsonObject[];

function restoredList(at: Place, kept: Items, inferred: Items, now: Items): readonly unknown[] {
  const keys = at.to?.listMapKeys;
  if (keys !== undefined) return restoredByKey(at, keys, kept, inferred, now);
  if (kept.length !== inferred.length) return now;
  return alignedItems(inferred, now).map((index, i) => {
    const item = { kept: kept[index], inferred: inferred[index] };
    return index < 0 ? now[i] : restoredFields(itemsOf(at), item, now[i]);
  });
}

function restoredByKey(
  at: Place,
  keys: readonly string[],
  kept: Items,
  inferred: Items,
  now: Items,
): readonly unknown[] {
  const byKey = (items: Items) => new Map(items.map((item) => [listMapKey(item, keys), item]));
  const [before, then, current] = [byKey(kept), byKey(inferred), byKey(now)];
  const items = now.flatMap((item) => {
    const key = listMapKey(item, keys);
    const field = { kept: before.get(key), inferred: then.get(key) };
    const restored = field.inferred === undefined ? item : restoredFields(itemsOf(at), field, item);
    return restored === undefined ? [] : [restored];
  });
  const others = kept.filter((item) => {
    const key = listMapKey(item, keys);
    return !then.has(key) && !current.has(key);
  });
  return [...items, ...others];
}

const itemsOf = ({ to, from }: Place): Place => ({ to: to?.items, from: from?.items });

const isListOfObjects = (value: unknown): value is Items => Array.isArray(value) && value.every(isObject);

const namesOf = (a: object, b: object) => new Set([...Object.keys(a), ...Object.keys(b)]);

const own = (object: JsonObject, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);
