/**
 * Ownership: how a write moves fields from their owners to the writer.
 *
 * Fields that the write changed or added leave all other owners, fields that it removed leave all of them, and an owner
 * of nothing is forgotten. Every owner is seen in the version in which it wrote.
 */
import type { FieldSet } from '@keelson/core';
import {
  decodeFields,
  difference,
  differenceBelow,
  emptySet,
  intersection,
  isEmpty,
  type PathSet,
  union,
} from '@keelson/core/fields';
import type { JsonObject } from '../../object.ts';
import { type ObjectType, typeInVersion } from '../schemas/object-type.ts';
import { type Comparison, compare, withoutFields } from '../typed/compare.ts';
import { reconcileWithSchema } from '../typed/reconcile-schema.ts';
import type { Managers, Ownership } from './managed-fields.ts';

export interface Transfer {
  /** All but the writer's own entry are up to date. */
  readonly managers: Map<string, Ownership>;
  /** What the write did, in the version of the request. */
  readonly change: Comparison;
  /** What each of the others had to give up. */
  readonly taken: ReadonlyMap<string, PathSet>;
}

/** `writer` is the id whose fields are left as they are. */
export function transfer(
  before: JsonObject,
  after: JsonObject,
  type: ObjectType,
  managers: Managers,
  writer: string,
): Transfer {
  const changes = new Map<string, Comparison | undefined>();
  const changeIn = (apiVersion: string): Comparison | undefined => {
    if (!changes.has(apiVersion)) changes.set(apiVersion, changeInVersion(before, after, type, apiVersion));
    return changes.get(apiVersion);
  };
  const remaining = new Map<string, Ownership>();
  const taken = new Map<string, PathSet>();
  for (const [id, owner] of managers) {
    if (id === writer) {
      if (!isEmpty(owner.fields)) remaining.set(id, owner);
      continue;
    }
    const change = changeIn(owner.apiVersion);
    if (change === undefined) continue;
    const lost = intersection(owner.fields, union(change.modified, change.added));
    if (!isEmpty(lost)) taken.set(id, lost);
    const fields = difference(difference(owner.fields, lost), change.removed);
    if (!isEmpty(fields)) remaining.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return { managers: remaining, change: changeIn(type.apiVersion) ?? noVersion(type), taken };
}

function changeInVersion(
  before: JsonObject,
  after: JsonObject,
  type: ObjectType,
  apiVersion: string,
): Comparison | undefined {
  const version = typeInVersion(type, apiVersion);
  if (version === undefined) return undefined;
  const change = compare(version.convert(before), version.convert(after), version.type.schema);
  const reset = resetOf(version.type);
  return isEmpty(reset) ? change : withoutFields(change, reset);
}

function noVersion(type: ObjectType): never {
  throw new RangeError(`no type for ${type.apiVersion}`);
}

const resetSets = new WeakMap<FieldSet, PathSet>();

function resetOf({ reset }: ObjectType): PathSet {
  if (reset === undefined) return emptySet;
  let set = resetSets.get(reset);
  if (set === undefined) {
    set = decodeFields(reset);
    resetSets.set(reset, set);
  }
  return set;
}

export function withoutReset(fields: PathSet, type: ObjectType): PathSet {
  return differenceBelow(fields, resetOf(type));
}

/** Entries as they would have been written under today's schema; those of versions that are gone are left out. */
export function reconciled(managers: Managers, type: ObjectType): Map<string, Ownership> {
  const result = new Map<string, Ownership>();
  for (const [id, owner] of managers) {
    const version = typeInVersion(type, owner.apiVersion);
    if (version === undefined) continue;
    const fields = reconcileWithSchema(owner.fields, version.type.schema);
    result.set(id, fields === owner.fields ? owner : { ...owner, fields });
  }
  return result;
}

/** What no manager ever owns: the server itself writes it, or it names the object. */
const neverOwned: PathSet = decodeFields({
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
});

export function withoutNeverOwned(owner: Ownership): Ownership {
  const fields = difference(owner.fields, neverOwned);
  return fields === owner.fields ? owner : { ...owner, fields };
}
