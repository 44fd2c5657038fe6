/**
 * The fields that a value names: what its author owns after applying it.
 *
 * Leaves and items are in the set, and members of maps; the named fields of structs are there only through what is
 * below them, unless they are empty or null. An empty list names nothing.
 */
import { emptySet, fieldStep, isEmpty, leaf, type PathSet } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList } from './json.ts';
import { kindOf } from './kind-of.ts';

export function fieldsOf(value: Json, type: TypeSchema): PathSet {
  const kind = kindOf(type, value);
  if (kind === 'scalar' || type[kind]?.relationship === 'atomic') return leaf;
  if (kind === 'map') return type.map && isObject(value) ? membersOf(value, type.map) : emptySet;
  return type.list && isList(value) ? itemsOf(value, type.list) : emptySet;
}

function membersOf(value: JsonObject, map: MapType): PathSet {
  const children = new Map<string, PathSet>();
  for (const [name, member] of Object.entries(value)) {
    const field = map.fields.get(name);
    const below = fieldsOf(member, field?.type ?? map.additional ?? deducedSchema);
    const isMember = field === undefined || isNothing(member);
    if (isMember || !isEmpty(below)) children.set(fieldStep(name), isMember ? asMember(below) : below);
  }
  return { member: false, children };
}

/** Of items that share a step, only that there are some is known. */
function itemsOf(items: JsonList, list: ListType): PathSet {
  const children = new Map<string, PathSet>();
  for (const item of items) {
    const step = itemStep(list, item);
    children.set(step, children.has(step) ? leaf : asMember(fieldsOf(item, list.items)));
  }
  return { member: false, children };
}

function asMember(set: PathSet): PathSet {
  return set.member ? set : { member: true, children: set.children };
}

function isNothing(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}
