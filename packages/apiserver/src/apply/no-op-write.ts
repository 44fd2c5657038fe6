/**
 * A write that changes nothing, such as an apply of what is there already, is none: no new version, no event.
 *
 * The store leaves out a write whose object equals the stored one. Since every write stamps its entry in managedFields,
 * one that changed nothing but these times gets the old ones back here, and is equal then.
 */
import { equalJson } from '@keelson/core';
import { isObject, type JsonObject } from '../object.ts';
import { managedFieldsOf, withManagedFields } from './ownership/managed-fields.ts';
import { isList, withMember } from './typed/json.ts';

/** For an update, after everything else was done to `after`, before it is compared with what is stored. */
export function withoutNoOpTimestamps(before: JsonObject, after: JsonObject): JsonObject {
  const old = managedFieldsOf(before);
  const now = managedFieldsOf(after);
  if (!isList(old) || !isList(now) || old.length !== now.length || now.length === 0) return after;
  if (old === now || now.every((entry, index) => timeOf(entry) === timeOf(old[index]))) return after;
  if (!now.every((entry, index) => equalJson(withoutTime(entry), withoutTime(old[index])))) return after;
  if (!equalJson(withManagedFields(before, undefined), withManagedFields(after, undefined))) return after;
  return withManagedFields(after, old);
}

function timeOf(entry: unknown): unknown {
  return isObject(entry) ? entry.time : undefined;
}

function withoutTime(entry: unknown): unknown {
  return isObject(entry) ? withMember(entry, 'time', undefined) : entry;
}
