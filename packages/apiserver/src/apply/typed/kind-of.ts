/**
 * As what a value is taken where its type allows several: by what it is, if the type allows that, and otherwise (null,
 * or a value that does not fit) as the first of map, scalar and list that the type has.
 */

import { isObject } from '../../object.ts';
import type { TypeSchema } from '../schemas/type-schema.ts';
import { isList, type Json } from './json.ts';

export type ValueKind = 'map' | 'scalar' | 'list';

export function kindOf(type: TypeSchema, value: Json): ValueKind {
  if (isObject(value)) {
    if (type.map !== undefined) return 'map';
  } else if (isList(value)) {
    if (type.list !== undefined) return 'list';
  } else if (value !== null && value !== undefined && type.scalar !== undefined) {
    return 'scalar';
  }
  if (type.map !== undefined) return 'map';
  return type.scalar !== undefined ? 'scalar' : 'list';
}

/**
 * As what two versions of a value are taken; two answers when its kind changed, the older one first. An absent value
 * takes the form of the other.
 */
export function kindsOf(type: TypeSchema, before: Json, after: Json): readonly ValueKind[] {
  if (after === undefined) return [kindOf(type, before)];
  if (before === undefined) return [kindOf(type, after)];
  const old = kindOf(type, before);
  const now = kindOf(type, after);
  return old === now ? [now] : [old, now];
}
