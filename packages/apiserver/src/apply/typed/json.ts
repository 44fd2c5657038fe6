/** JSON values as merging sees them: `undefined` is absent, which is something else than null. */

import type { JsonObject } from '../../object.ts';

export type Json = unknown;
export type JsonList = readonly Json[];

export function isList(value: Json): value is JsonList {
  return Array.isArray(value);
}

/** The member of that name, and nothing that the prototype has. */
export function memberOf(object: JsonObject | undefined, name: string): Json {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

/** `object` with `value` as a member, or without the member when it is `undefined`; the rest is shared. */
export function withMember(object: JsonObject, name: string, value: Json): JsonObject {
  const { [name]: previous, ...rest } = object;
  if (value === undefined) return previous === undefined && !Object.hasOwn(object, name) ? object : rest;
  return previous === value ? object : { ...object, [name]: value };
}
