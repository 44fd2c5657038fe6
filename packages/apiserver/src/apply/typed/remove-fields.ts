/**
 * A value without some fields. What a container keeps is shared; one that loses everything becomes null, as on the
 * real server (its named field is usually removed with it, see `withNamedFields`).
 */
import { fieldStep, isEmpty, type PathSet } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList } from './json.ts';
import { kindOf } from './kind-of.ts';

export function removeFields(value: Json, fields: PathSet, type: TypeSchema): Json {
  if (fields.children.size === 0) return value;
  const kind = kindOf(type, value);
  if (kind === 'scalar') return value;
  if (type[kind]?.relationship === 'atomic') return null;
  if (kind === 'map') return type.map && isObject(value) ? removeMembers(value, fields, type.map) : null;
  return type.list && isList(value) ? removeItems(value, fields, type.list) : null;
}

function removeMembers(value: JsonObject, fields: PathSet, map: MapType): Json {
  const kept: [string, Json][] = [];
  let changed = false;
  for (const [name, member] of Object.entries(value)) {
    const found = fields.children.get(fieldStep(name));
    if (found?.member) {
      changed = true;
      continue;
    }
    const type = map.fields.get(name)?.type ?? map.additional ?? deducedSchema;
    const rest = found === undefined || isEmpty(found) ? member : removeFields(member, found, type);
    if (rest !== member) changed = true;
    kept.push([name, rest]);
  }
  if (kept.length === 0) return null;
  return changed ? Object.fromEntries(kept) : value;
}

function removeItems(items: JsonList, fields: PathSet, list: ListType): Json {
  const kept: Json[] = [];
  let changed = false;
  for (const item of items) {
    const found = fields.children.get(itemStep(list, item));
    if (found?.member) {
      changed = true;
      continue;
    }
    const rest = found === undefined || isEmpty(found) ? item : removeFields(item, found, list.items);
    if (rest !== item) changed = true;
    kept.push(rest);
  }
  if (kept.length === 0) return null;
  return changed ? kept : items;
}
