/**
 * A value without some fields. What a container keeps is shared; one that loses everything becomes null, as on the
 * real server (its named field is usually removed with it, see `withNamedFields`).
 */
import { fieldStep, type Part, type PathSet, workOut } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList, memberOf } from './json.ts';
import { kindOf } from './kind-of.ts';

export function removeFields(value: Json, fields: PathSet, type: TypeSchema): Json {
  const rest = restAtOnce(value, fields, type);
  return rest instanceof Removal ? workOut(rest) : rest;
}

/** What is left, unless it is a map of which members have to be looked at. */
function restAtOnce(value: Json, fields: PathSet, type: TypeSchema): Json | Removal {
  if (fields.children.size === 0) return value;
  const kind = kindOf(type, value);
  if (kind === 'scalar') return value;
  if (type[kind]?.relationship === 'atomic') return null;
  if (kind === 'map') return type.map && isObject(value) ? new Removal(value, fields, type.map) : null;
  return type.list && isList(value) ? removeItems(value, fields, type.list) : null;
}

/** A map that loses members: of any depth, as in `merge`. */
class Removal implements Part<Json> {
  readonly #value: JsonObject;
  readonly #fields: PathSet;
  readonly #map: MapType;
  readonly #members: Iterator<[string, Json], undefined>;
  readonly #kept: [string, Json][] = [];
  #name = '';
  #changed = false;

  constructor(value: JsonObject, fields: PathSet, map: MapType) {
    this.#value = value;
    this.#fields = fields;
    this.#map = map;
    this.#members = Object.entries(value)[Symbol.iterator]() as Iterator<[string, Json], undefined>;
  }

  next(): Removal | undefined {
    for (let next = this.#members.next(); !next.done; next = this.#members.next()) {
      const [name, member] = next.value;
      this.#name = name;
      const found = this.#fields.children.get(fieldStep(name));
      if (found?.member) {
        this.#changed = true;
        continue;
      }
      const type = this.#map.fields.get(name)?.type ?? this.#map.additional ?? deducedSchema;
      const rest = found === undefined ? member : restAtOnce(member, found, type);
      if (rest instanceof Removal) return rest;
      this.take(rest);
    }
    return undefined;
  }

  take(rest: Json): void {
    if (rest !== memberOf(this.#value, this.#name)) this.#changed = true;
    this.#kept.push([this.#name, rest]);
  }

  result(): Json {
    if (this.#kept.length === 0) return null;
    return this.#changed ? Object.fromEntries(this.#kept) : this.#value;
  }
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
    const rest = found === undefined ? item : removeFields(item, found, list.items);
    if (rest !== item) changed = true;
    kept.push(rest);
  }
  if (kept.length === 0) return null;
  return changed ? kept : items;
}
