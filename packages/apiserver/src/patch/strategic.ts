/**
 * Strategic merge patch, as Kubernetes applies it to built-in kinds.
 *
 * Like a merge patch, but lists whose type says so are merged by key (or as sets of scalars), and directives in the
 * patch say what merging cannot: `$patch` (delete or replace an item, or replace what it stands in), `$retainKeys`,
 * `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`.
 *
 * Promises: inputs are never changed, and what a patch does not touch is shared. Does not: validate the result, or
 * remove directives that stand where they mean nothing; decoding drops those as unknown fields.
 */

import { goPrint, goType } from '../apply/typed/go-print.ts';
import { isList, type Json, type JsonList } from '../apply/typed/json.ts';
import { isObject, type JsonObject } from '../object.ts';
import { identityOf, inOrder } from './list-order.ts';
import type { PatchField, PatchSchema } from './patch-schema.ts';
import {
  badElementOrder,
  badPrimitiveList,
  badRetainKeys,
  listOfLists,
  noMergeKey,
  StrategicPatchError,
  unknownDirective,
  wrongType,
} from './strategic-error.ts';

const elementOrder = '$setElementOrder';
const primitiveDeletions = '$deleteFromPrimitiveList';

/** Throws a StrategicPatchError for a patch that makes no sense for `live`. */
export function strategicMergePatch(live: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  return mergeMap(live, patch, schema);
}

function mergeMap(live: JsonObject, patch: JsonObject, schema: PatchSchema): JsonObject {
  if (Object.hasOwn(patch, '$patch')) return directed(patch);
  const members = new Map(Object.entries(live));
  retainKeys(members, patch);
  const ordered = setElementOrder(members, patch, schema);
  for (const [name, change] of Object.entries(patch)) {
    if (name === '$retainKeys' || name.startsWith(elementOrder) || ordered.has(name)) continue;
    if (name.startsWith(primitiveDeletions)) deleteScalars(members, name, change);
    else setMember(members, name, change, schema);
  }
  return isUnchanged(members, live) ? live : Object.fromEntries(members);
}

function directed(patch: JsonObject): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  throw unknownDirective(directive, patch);
}

function setMember(members: Map<string, Json>, name: string, change: Json, schema: PatchSchema): void {
  const before = members.get(name);
  if (change === null) {
    members.delete(name);
  } else if (isObject(before) && isObject(change)) {
    const { strategy, schema: below } = fieldOf(schema, name);
    members.set(name, strategy === 'replace' ? change : mergeMap(before, change, below));
  } else if (isList(before) && isList(change)) {
    const field = fieldOf(schema, name);
    members.set(name, field.strategy === 'merge' ? mergeList(before, change, field) : change);
  } else if (isDirective(change)) {
    members.delete(name);
  } else {
    members.set(name, withoutDirectives(withoutNulls(change)));
  }
}

/** Merging needs the type; what is only set or removed does not. */
function fieldOf(schema: PatchSchema, name: string): PatchField {
  const field = schema.field(name);
  if (field !== undefined) return field;
  const problem =
    schema.kind === 'map'
      ? 'merging an object in json but data type is not struct, instead is: map'
      : `unable to find api field in struct ${schema.name} for the json field ${JSON.stringify(name)}`;
  throw new StrategicPatchError(500, problem);
}

function mergeList(live: JsonList, patch: JsonList, { mergeKey, schema }: PatchField): JsonList {
  if (live.length === 0 && patch.length === 0) return live;
  if (typeOfItems(live, patch) !== 'map[string]interface {}') {
    return inOrder([...new Set([...live, ...patch])], patch, live, '');
  }
  if (mergeKey === '') throw new StrategicPatchError(500, 'cannot merge lists without merge key for struct');
  const { remaining, changes } = specialItems(live as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  const merged: JsonObject[] = [...remaining];
  const places = new Map<Json, number>();
  for (const [index, item] of remaining.entries()) if (!places.has(item[mergeKey])) places.set(item[mergeKey], index);
  for (const change of changes) {
    if (!Object.hasOwn(change, mergeKey)) throw noMergeKey(change, mergeKey);
    const place = places.get(change[mergeKey]);
    if (place === undefined) places.set(change[mergeKey], merged.push(change) - 1);
    else merged[place] = mergeMap(merged[place] as JsonObject, change, schema);
  }
  for (const item of merged) if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
  return inOrder(merged, changes, remaining, mergeKey);
}

/** Items with a directive act on the live list and are no items themselves. */
function specialItems(live: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string) {
  const changes: JsonObject[] = [];
  const deleted = new Set<Json>();
  let replace = false;
  for (const item of patch) {
    const directive = item.$patch;
    if (directive === undefined) {
      changes.push(item);
    } else if (directive === 'delete') {
      if (!Object.hasOwn(item, mergeKey)) throw noMergeKey(item, mergeKey);
      deleted.add(item[mergeKey]);
    } else if (directive === 'replace') {
      replace = true;
    } else if (directive === 'merge') {
      throw new StrategicPatchError(500, 'merging lists cannot yet be specified in the patch');
    } else {
      throw unknownDirective(directive, item);
    }
  }
  if (replace) return { remaining: changes, changes: [] };
  return { remaining: deleted.size === 0 ? live : live.filter((item) => !deleted.has(item[mergeKey])), changes };
}

function deleteScalars(members: Map<string, Json>, directive: string, deletions: Json): void {
  const name = listNamed(directive, primitiveDeletions, badPrimitiveList);
  const before = members.get(name);
  if (deletions === null) members.delete(name);
  if (!isList(before) || !isList(deletions)) return;
  if (before.length === 0 && deletions.length === 0) return;
  typeOfItems(before, deletions);
  const deleted = new Set(deletions);
  members.set(
    name,
    before.filter((item) => !deleted.has(item)),
  );
}

/** Lists that the patch gives an order are merged here; their names are returned. */
function setElementOrder(members: Map<string, Json>, patch: JsonObject, schema: PatchSchema): ReadonlySet<string> {
  const done = new Set<string>();
  for (const [directive, order] of Object.entries(patch)) {
    if (!directive.startsWith(elementOrder)) continue;
    if (!isList(order)) throw wrongType('[]interface {}', order);
    const name = listNamed(directive, elementOrder, badElementOrder);
    const before = members.get(name);
    const change = Object.hasOwn(patch, name) ? patch[name] : undefined;
    if (before !== undefined && !isList(before)) throw wrongType('[]interface {}', before);
    if (change !== undefined && !isList(change)) throw wrongType('[]interface {}', change);
    const field = fieldOf(schema, name);
    checkOrder(change ?? [], order, field.mergeKey);
    if (before === undefined && change === undefined) continue;
    let merged: JsonList = before ?? [];
    if (change !== undefined) {
      if (before === undefined) merged = withoutDirectives(change) as JsonList;
      else merged = field.strategy === 'merge' ? mergeList(before, change, field) : change;
      done.add(name);
    }
    for (const item of field.mergeKey === '' ? [] : [...merged, ...order]) {
      if (!isObject(item)) throw wrongType('map[string]interface {}', item);
      if (!Object.hasOwn(item, field.mergeKey)) throw noMergeKey(item, field.mergeKey);
    }
    members.set(name, inOrder(merged, order, before ?? [], field.mergeKey));
  }
  return done;
}

/** The patch's items must come in the order's order, and be in it. */
function checkOrder(change: JsonList, order: JsonList, mergeKey: string): void {
  const items = change.filter((item) => !isDirective(item));
  if (order.length === 0 || items.length === 0) return;
  let next = 0;
  for (const place of order) {
    if (next < items.length && identityOf(items[next], mergeKey) === identityOf(place, mergeKey)) next++;
  }
  if (next === items.length) return;
  throw new StrategicPatchError(
    500,
    `The order in patch list:\n${goPrint(change)}\n doesn't match ${elementOrder} list:\n${goPrint(order)}\n`,
  );
}

function retainKeys(members: Map<string, Json>, patch: JsonObject): void {
  if (!Object.hasOwn(patch, '$retainKeys')) return;
  const retained = patch.$retainKeys;
  if (!isList(retained)) throw badRetainKeys();
  for (const [name, change] of Object.entries(patch)) {
    const isOther = name === '$retainKeys' || name.startsWith(primitiveDeletions) || name.startsWith(elementOrder);
    if (change !== null && !isOther && !retained.includes(name)) throw badRetainKeys();
  }
  for (const name of members.keys()) if (!retained.includes(name)) members.delete(name);
}

/** `$setElementOrder/containers` is about `containers`. */
function listNamed(directive: string, prefix: string, problem: () => StrategicPatchError): string {
  const slash = directive.indexOf('/');
  if (slash === -1 || directive.slice(0, slash) !== prefix) throw problem();
  return directive.slice(slash + 1);
}

function typeOfItems(...lists: readonly JsonList[]): string {
  const types = new Set(lists.flat(1).map(goType));
  const [type = ''] = types;
  if (type === '[]interface {}') throw listOfLists();
  if (types.size === 1) return type;
  throw new StrategicPatchError(500, `list element types are not identical: ${goPrint(lists)}`);
}

function isDirective(value: Json): boolean {
  return isObject(value) && Object.hasOwn(value, '$patch');
}

/** What is new in the object has nothing to delete or replace. */
function withoutDirectives(value: Json): Json {
  if (isList(value)) return value.filter((item) => !isDirective(item)).map(withoutDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !isDirective(member))
      .map(([name, member]) => [name, withoutDirectives(member)]),
  );
}

function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}

function isUnchanged(members: ReadonlyMap<string, Json>, live: JsonObject): boolean {
  const names = Object.keys(live);
  return names.length === members.size && names.every((name) => members.get(name) === live[name]);
}
