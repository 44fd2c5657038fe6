/**
 * The fields that a value names: what its author owns after applying it.
 *
 * Leaves and items are in the set, and members of maps; the named fields of structs are there only through what is
 * below them, unless they are empty or null. An empty list names nothing.
 */
import { emptySet, fieldStep, isEmpty, leaf, type Part, type PathSet, workOut } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { deducedSchema, type ListType, type MapType, type TypeSchema } from '../schemas/type-schema.ts';
import { itemStep } from './item-step.ts';
import { isList, type Json, type JsonList } from './json.ts';
import { kindOf } from './kind-of.ts';

export function fieldsOf(value: Json, type: TypeSchema): PathSet {
  const fields = fieldsAtOnce(value, type);
  return fields instanceof Naming ? workOut(fields) : fields;
}

/** The fields, unless the value is a map that has members. */
function fieldsAtOnce(value: Json, type: TypeSchema): PathSet | Naming {
  const kind = kindOf(type, value);
  if (kind === 'scalar' || type[kind]?.relationship === 'atomic') return leaf;
  if (kind === 'map') return type.map && isObject(value) ? new Naming(value, type.map) : emptySet;
  return type.list && isList(value) ? itemsOf(value, type.list) : emptySet;
}

/** A map whose members are being named: of any depth, as in `merge`. */
class Naming implements Part<PathSet> {
  readonly #value: JsonObject;
  readonly #map: MapType;
  readonly #names: Iterator<string, undefined>;
  readonly #children = new Map<string, PathSet>();
  #name = '';

  constructor(value: JsonObject, map: MapType) {
    this.#value = value;
    this.#map = map;
    this.#names = Object.keys(value)[Symbol.iterator]() as Iterator<string, undefined>;
  }

  next(): Naming | undefined {
    for (let next = this.#names.next(); !next.done; next = this.#names.next()) {
      this.#name = next.value;
      const type = this.#map.fields.get(this.#name)?.type ?? this.#map.additional ?? deducedSchema;
      const below = fieldsAtOnce(this.#value[this.#name], type);
      if (below instanceof Naming) return below;
      this.take(below);
    }
    return undefined;
  }

  take(below: PathSet): void {
    const isMember = !this.#map.fields.has(this.#name) || isNothing(this.#value[this.#name]);
    if (!isMember && isEmpty(below)) return;
    this.#children.set(fieldStep(this.#name), isMember ? asMember(below) : below);
  }

  result(): PathSet {
    return { member: false, children: this.#children };
  }
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
