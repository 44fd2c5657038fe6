/** Defaulting in small steps: what is absent is filled in, what is there stays. */
import { type ApiObject, isObject, type JsonObject } from '../../../object.ts';

/** The object with `defaults` for the members that it does not have. */
export function fill<T extends JsonObject>(object: T, defaults: JsonObject): T {
  let result: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(defaults)) {
    const own = object[name];
    // Go has no absent string: an empty one is one that was not set.
    if (own !== undefined && own !== null && own !== '') continue;
    result ??= { ...object };
    result[name] = value;
  }
  return (result ?? object) as T;
}

/** The object with a member changed, if it has it. */
export function change<T extends JsonObject>(object: T, name: string, by: (member: JsonObject) => unknown): T {
  const member = object[name];
  if (!isObject(member)) return object;
  const changed = by(member);
  return changed === member ? object : { ...object, [name]: changed };
}

/** The object with each item of a list changed, if it has the list. */
export function changeEach<T extends JsonObject>(object: T, name: string, by: (item: JsonObject) => JsonObject): T {
  const list = object[name];
  if (!Array.isArray(list)) return object;
  let changed = false;
  const items = list.map((item: unknown) => {
    if (!isObject(item)) return item;
    const next = by(item);
    changed ||= next !== item;
    return next;
  });
  return changed ? { ...object, [name]: items } : object;
}

/** A default of the spec alone, which most kinds have. */
export const fillSpec =
  (defaults: JsonObject) =>
  (object: ApiObject): ApiObject =>
    change(object, 'spec', (spec) => fill(spec, defaults));
