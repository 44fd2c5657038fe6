/**
 * What an applier no longer names goes, unless another manager owns it.
 *
 * Three passes, each in the version that its owners wrote in: take away what was applied last time, put back what any
 * manager owns now, and put back what the applier did not own in the first place.
 */
import { difference, emptySet, intersection, isEmpty, type PathSet, union } from '@keelson/core/fields';
import type { JsonObject } from '../../object.ts';
import { type ObjectType, typeInVersion, type VersionedType } from '../schemas/object-type.ts';
import { fieldsOf } from '../typed/fields-of.ts';
import { withNamedFields } from '../typed/named-fields.ts';
import { removeFields } from '../typed/remove-fields.ts';
import type { Managers, Ownership } from './managed-fields.ts';

/** `merged` speaks the request's version; `last` is the applier's entry before this request, `next` the one it gets. */
export function pruneUnnamed(
  merged: JsonObject,
  type: ObjectType,
  managers: Managers,
  last: Ownership | undefined,
  next: Ownership,
): JsonObject {
  if (last === undefined || isEmpty(last.fields)) return merged;
  if (last.apiVersion === next.apiVersion && isEmpty(difference(last.fields, next.fields))) return merged;
  const version = typeInVersion(type, last.apiVersion);
  if (version === undefined) return merged;
  const full = version.convert(merged);
  const { schema } = version.type;
  const taken = withNamedFields(last.fields, schema);
  const without = asObject(removeFields(full, taken, schema));
  if (without === full) return merged;
  const owned = inVersion(version, keepOwned(merged, { object: without, version }, type, managers));
  const lost = difference(namedFieldsOf(full, version), namedFieldsOf(owned, version));
  return version.convertBack(asObject(removeFields(full, intersection(lost, taken), schema)));
}

/** An object, and the version that it is in. */
interface Versioned {
  readonly object: JsonObject;
  readonly version: VersionedType;
}

/** Only what is in another version is converted: on the way there and back, a webhook leaves things behind. */
function inVersion(version: VersionedType, { object, version: own }: Versioned): JsonObject {
  return version.type.apiVersion === own.type.apiVersion ? object : version.convert(own.convertBack(object));
}

/** `pruned` with all that some manager owns back in it, the version that it is in first. */
function keepOwned(merged: JsonObject, pruned: Versioned, type: ObjectType, managers: Managers): Versioned {
  const owned = new Map<string, PathSet>();
  for (const { apiVersion, fields } of managers.values()) {
    owned.set(apiVersion, union(owned.get(apiVersion) ?? emptySet, fields));
  }
  const first = pruned.version.type.apiVersion;
  const versions = Array.from(owned).sort(([a], [b]) => Number(b === first) - Number(a === first));
  let result = pruned;
  for (const [apiVersion, fields] of versions) {
    const version = typeInVersion(type, apiVersion);
    if (version === undefined) continue;
    const { schema } = version.type;
    const full = version.convert(merged);
    const kept = union(namedFieldsOf(inVersion(version, result), version), withNamedFields(fields, schema));
    const object = asObject(removeFields(full, difference(namedFieldsOf(full, version), kept), schema));
    result = { object, version };
  }
  return result;
}

function namedFieldsOf(object: JsonObject, { type }: VersionedType): PathSet {
  return withNamedFields(fieldsOf(object, type.schema), type.schema);
}

function asObject(value: unknown): JsonObject {
  return (value ?? {}) as JsonObject;
}
