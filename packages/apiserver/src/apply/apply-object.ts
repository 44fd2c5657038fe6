/**
 * Server-side apply: merges what a manager wants into the live object, and says who owns what afterwards.
 *
 * Fields that the manager applied before and no longer names go, unless someone else owns them. Fields that others own
 * and that would change are conflicts, unless forced. Values are compared as they were sent: what the server would
 * normalise later (`0.1` to `100m`) is a difference here, as on the real one.
 */
import { equalJson } from '@keelson/core';
import { equalSets, isEmpty } from '@keelson/core/fields';
import { isObject, type JsonObject } from '../object.ts';
import { Unconverted } from '../unconverted.ts';
import { applyConflicts } from './apply-conflict.ts';
import { type ApplyConflict, type ConflictCause, conflictCauses, conflictMessage } from './conflict-message.ts';
import { withLastApplied } from './ownership/last-applied.ts';
import {
  decodeManagers,
  encodeManagers,
  type Managers,
  managedFieldsOf,
  managerId,
  type Ownership,
  withManagedFields,
} from './ownership/managed-fields.ts';
import { pruneUnnamed } from './ownership/prune-unnamed.ts';
import { reconciled, transfer, withoutNeverOwned, withoutReset } from './ownership/transfer.ts';
import { ownersAfterUpdate } from './ownership/update-managed-fields.ts';
import type { ObjectType } from './schemas/object-type.ts';
import { fieldsOf } from './typed/fields-of.ts';
import { merge } from './typed/merge.ts';
import { type Duplicates, printProblems, problemsOf } from './typed/validate.ts';

export interface ApplyRequest {
  readonly type: ObjectType;
  /** `undefined` when the object does not exist yet. */
  readonly live: JsonObject | undefined;
  /** The body of the request as it was decoded: neither defaulted nor pruned. */
  readonly applied: JsonObject;
  readonly manager: string;
  readonly force?: boolean | undefined;
  readonly subresource?: string | undefined;
  /** The time of the request, RFC 3339 with seconds: `2026-01-02T03:04:05Z`. */
  readonly now: string;
}

export type ApplyResult =
  | {
      readonly type: 'applied';
      /** Merged, with its managedFields; still to be pruned, defaulted and validated by the caller. */
      readonly object: JsonObject;
      /** `false` when merging changed no value (the managedFields may still differ). */
      readonly changed: boolean;
    }
  | {
      /** 409 `Conflict` with `details.causes`. */
      readonly type: 'conflict';
      readonly message: string;
      readonly causes: readonly ConflictCause[];
      readonly conflicts: readonly ApplyConflict[];
    }
  | {
      /** 400 `BadRequest`, or 500 without a reason (and without details), worded as the server does. */
      readonly type: 'refused';
      readonly code: 400 | 500;
      readonly message: string;
    };

export function applyObject(request: ApplyRequest): ApplyResult {
  const { type, applied } = request;
  const live = request.live ?? type.empty;
  const refusal =
    refusalOf(applied, type) ?? misfit('patch', applied, type, 'forbidden') ?? misfit('live', live, type, 'allowed');
  if (refusal !== undefined) return refusal;
  let stored: Managers;
  let owners: Managers;
  try {
    stored = decodeManagers(managedFieldsOf(live));
    owners = reconciled(stored, type);
  } catch (error) {
    if (error instanceof Unconverted) throw error;
    return { type: 'refused', code: 500, message: `failed to decode managed fields: ${(error as Error).message}` };
  }
  if (stored.size === 0 && request.live !== undefined) owners = beforeFirstApply(live, type, request.now);
  const result = applyTo(live, stored, owners, request);
  if (result.type !== 'applied' || request.manager !== 'kubectl') return result;
  return { ...result, object: withLastApplied(result.object, applied) };
}

function applyTo(live: JsonObject, stored: Managers, managers: Managers, request: ApplyRequest): ApplyResult {
  const { type, applied, manager, force = false, subresource = '', now } = request;
  const applier = {
    manager: manager || 'unknown',
    operation: 'Apply',
    apiVersion: type.apiVersion,
    subresource,
  } as const;
  const id = managerId(applier);
  const owners = new Map(managers);
  const last = owners.get(id);
  const next = { ...applier, time: last?.time, fields: withoutReset(fieldsOf(applied, type.schema), type) };
  owners.set(id, next);
  const merged = merge(live, applied, type.schema) as JsonObject;
  const wanted = pruneUnnamed(merged, type, owners, last, next);
  const { managers: remaining, taken } = transfer(live, wanted, type, owners, id);
  const conflicts = applyConflicts({ live, type, manager, force }, taken, owners);
  if (conflicts.length > 0) {
    return { type: 'conflict', message: conflictMessage(conflicts), causes: conflictCauses(conflicts), conflicts };
  }
  const changed = wanted !== live && !equalJson(wanted, live);
  const own = withoutNeverOwned(next);
  const isSame =
    last !== undefined && !changed && equalSets(own.fields, last.fields) && last.apiVersion === own.apiVersion;
  if (isEmpty(own.fields)) remaining.delete(id);
  else remaining.set(id, isSame ? last : { ...own, time: changed ? now : own.time });
  if (!changed && isUnchanged(remaining, stored)) return { type: 'applied', object: live, changed };
  return { type: 'applied', object: withManagedFields(changed ? wanted : live, encodeManagers(remaining)), changed };
}

function isUnchanged(owners: Managers, before: Managers): boolean {
  return owners.size === before.size && Array.from(owners).every(([id, owner]) => before.get(id) === owner);
}

/** The fields of an object that was never applied and whose owners are unknown belong to a manager of that name. */
function beforeFirstApply(live: JsonObject, type: ObjectType, now: string): ReadonlyMap<string, Ownership> {
  const writer = {
    manager: 'before-first-apply',
    operation: 'Update',
    apiVersion: type.apiVersion,
    subresource: '',
  } as const;
  return ownersAfterUpdate(type, type.empty, live, new Map(), writer, now);
}

function refusalOf(applied: JsonObject, type: ObjectType): ApplyResult | undefined {
  const { apiVersion, kind } = applied;
  if (apiVersion !== type.apiVersion || kind !== type.kind) {
    return { type: 'refused', code: 400, message: `invalid object type: ${printKind(applied)}` };
  }
  const managedFields = managedFieldsOf(applied);
  if (managedFields === undefined || managedFields === null) return undefined;
  return { type: 'refused', code: 400, message: 'metadata.managedFields must be nil' };
}

function misfit(
  role: 'patch' | 'live',
  object: JsonObject,
  type: ObjectType,
  duplicates: Duplicates,
): ApplyResult | undefined {
  const problems = problemsOf(object, type.schema, duplicates);
  if (problems.length === 0) return undefined;
  const { namespace, name: own } = isObject(object.metadata) ? object.metadata : {};
  const name = `${textOf(namespace)}/${textOf(own)}; ${printKind(object)}`;
  const message = `failed to create typed ${role} object (${name}): ${printProblems(problems)}`;
  return { type: 'refused', code: 500, message };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` in the legacy group. */
function printKind({ apiVersion, kind }: JsonObject): string {
  const version = textOf(apiVersion);
  return `${version.includes('/') ? version : `/${version}`}, Kind=${textOf(kind)}`;
}
