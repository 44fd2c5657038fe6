/** Undoes what a request changed in fields that its endpoint does not keep. */
import type { FieldSet } from '@keelson/core';
import { type ApiObject, isObject, type JsonObject, withMetadata, without } from '../object.ts';

/** `object` with the fields of `reset` as they were in `old`; these name plain members only, never items of lists. */
export function restored(object: ApiObject, old: ApiObject, reset: FieldSet | undefined): ApiObject {
  if (reset === undefined) return object;
  const result = members(object, old, reset) as ApiObject;
  if (result.metadata !== old.metadata) return result;
  // Metadata that is reset as a whole still carries what the request was about.
  const { managedFields, resourceVersion, uid } = object.metadata;
  return withMetadata(result, { managedFields, resourceVersion, uid });
}

function members(object: JsonObject, old: JsonObject, reset: FieldSet): JsonObject {
  let result = object;
  for (const [step, inner] of Object.entries(reset)) {
    const name = step.slice(2);
    const before = old[name];
    const now = result[name];
    if (Object.keys(inner).length > 0) {
      if (isObject(now) && isObject(before)) result = { ...result, [name]: members(now, before, inner) };
    } else if (before === undefined) result = without(result, name);
    else result = { ...result, [name]: before };
  }
  return result;
}
