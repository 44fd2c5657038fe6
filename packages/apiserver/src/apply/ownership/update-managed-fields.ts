/**
 * Every write but apply: the fields that it changed become the writer's.
 *
 * Nothing here fails a write: where ownership cannot be told (a null in a set), the object loses its managedFields, as
 * on the real server.
 */
import { isEmpty, union } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../../object.ts';
import { Unconverted } from '../../unconverted.ts';
import type { ObjectType } from '../schemas/object-type.ts';
import { isList } from '../typed/json.ts';
import { printProblems, problemsOf } from '../typed/validate.ts';
import { capUpdaters } from './cap-updaters.ts';
import {
  decodeManagers,
  encodeManagers,
  type Manager,
  type Managers,
  managedFieldsOf,
  managerId,
  type Ownership,
  withManagedFields,
} from './managed-fields.ts';
import { reconciled, transfer, withoutNeverOwned, withoutReset } from './transfer.ts';

export interface UpdateRequest {
  readonly type: ObjectType;
  /** The stored object; `undefined` for a create. */
  readonly before: JsonObject | undefined;
  /** What the writer wants, with the managedFields that it sent (or none). */
  readonly after: JsonObject;
  readonly manager: string;
  readonly subresource?: string | undefined;
  /** The time of the request, RFC 3339 with seconds: `2026-01-02T03:04:05Z`. */
  readonly now: string;
}

/**
 * `after` with the managedFields that the server keeps. To be called where the real one does it: after decoding,
 * defaulting and patching, but before the endpoint drops what it does not keep, and before admission.
 */
export function updateManagedFields({
  type,
  before,
  after,
  manager,
  subresource = '',
  now,
}: UpdateRequest): JsonObject {
  const bare = withManagedFields(after, undefined);
  try {
    const managers = sentOrStored(before, after, subresource);
    // Objects whose managedFields were reset are left alone until they are applied.
    if (managers.size === 0 && hasUid(before)) return bare;
    const writer = {
      manager: manager || 'unknown',
      operation: 'Update',
      apiVersion: type.apiVersion,
      subresource,
    } as const;
    const owners = ownersAfterUpdate(type, before ?? type.empty, bare, managers, writer, now);
    return withManagedFields(bare, encodeManagers(capUpdaters(owners)));
  } catch (error) {
    if (error instanceof Unconverted) throw error;
    return bare;
  }
}

/**
 * The owners after `writer` turned `before` into `after`. The write is first seen as a stranger's, so that the writer's
 * own entry is dated anew only if something changed.
 */
export function ownersAfterUpdate(
  type: ObjectType,
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
  writer: Manager,
  now: string,
): Managers {
  for (const object of [after, before]) {
    const problems = problemsOf(object, type.schema, 'allowed');
    if (problems.length > 0) throw new TypeError(printProblems(problems));
  }
  const stranger = 'current-operation';
  const { managers: owners, change } = transfer(before, after, type, reconciled(managers, type), stranger);
  const fields = withoutReset(union(change.modified, change.added), type);
  const written = withoutNeverOwned({ ...writer, time: now, fields });
  const id = managerId(writer);
  if (!isEmpty(written.fields)) owners.set(id, mergedWith(owners.get(id), written));
  return owners;
}

function mergedWith(previous: Ownership | undefined, written: Ownership): Ownership {
  return previous === undefined ? written : { ...written, fields: union(written.fields, previous.fields) };
}

/**
 * A writer of the resource itself may edit managedFields; one that sends none, or ones that make no sense, keeps those
 * that are stored. An empty list, or a list of one empty entry, removes them.
 */
function sentOrStored(before: JsonObject | undefined, after: JsonObject, subresource: string): Managers {
  if (subresource === '') {
    const sent = managedFieldsOf(after);
    if (isReset(sent)) return new Map();
    try {
      const managers = decodeManagers(sent);
      if (managers.size > 0) return managers;
    } catch {
      // falls back to the stored ones
    }
  }
  try {
    return decodeManagers(managedFieldsOf(before));
  } catch {
    return new Map();
  }
}

function isReset(entries: unknown): boolean {
  if (!isList(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

function hasUid(object: JsonObject | undefined): boolean {
  const metadata = object?.metadata;
  return isObject(metadata) && typeof metadata.uid === 'string' && metadata.uid !== '';
}
