/**
 * Objects as the server holds them: plain JSON values, frozen once stored.
 *
 * Steps take such values and return new ones that share what did not change; nothing is cloned to be read.
 */
import { isObject, type JsonObject, type ObjectMeta } from '@keelson/core';

export { isObject, type JsonObject };

/** Any object of any kind, complete enough to be stored. */
export interface ApiObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Sets a member of an object that is being made; `__proto__` is a name like any other. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/**
 * The object as the type of its kind. Decoding has given its members the types that they have in the kind's Go struct,
 * so that here, and only here, the compiler takes our word for it.
 */
export function readAs<T extends { readonly metadata: ObjectMeta }>(object: ApiObject): T {
  return object as unknown as T;
}

/** The object with other metadata; members given as `undefined` are left out. */
export function withMetadata<T extends ApiObject>(object: T, changes: Partial<ObjectMeta>): T {
  return { ...object, metadata: compact({ ...object.metadata, ...changes }) };
}

/** Without the members whose value is `undefined`: in a stored object, absent means absent. */
export function compact<T extends object>(value: T): T {
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) if (member !== undefined) setMember(result, name, member);
  return result as T;
}

/** The object without some members. */
export function without<T extends object>(object: T, ...names: readonly string[]): T {
  if (!names.some((name) => name in object)) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name))) as T;
}

/** Follows member names; `undefined` where the way ends. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** A copy in which the value at `path` is another one; `undefined` removes the member. Missing objects are made. */
export function put<T extends JsonObject>(object: T, path: readonly string[], value: unknown): T {
  const [first, ...rest] = path;
  if (first === undefined) return value as T;
  if (rest.length === 0 && value === undefined) return without(object, first);
  const inner = object[first];
  return { ...object, [first]: rest.length === 0 ? value : put(isObject(inner) ? inner : {}, rest, value) };
}

/** Freezes a value and all in it; what is frozen already is taken to be so throughout, for it came from here. */
export function freeze<T>(value: T): T {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    for (const member of Object.values(next)) if (typeof member === 'object') open.push(member);
    Object.freeze(next);
  }
  return value;
}
