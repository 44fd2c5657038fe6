/**
 * The way of an object into the store, shared by all verbs that write: prepare, admit, validate, store.
 *
 * Synchronous from beginning to end, so that no write ever meets another one half way.
 */

import { timestamp } from '@keelson/core';
import { invalidValue, pathSegmentProblems } from '@keelson/schema/validation';
import { admit } from '../admit/admit.ts';
import { assertOwnerPermissions } from '../admit/owner-permissions.ts';
import { assertNoEscalation } from '../admit/role-escalation.ts';
import { keepTimestamps } from '../apply/index.ts';
import { refusal } from '../authorise/attributes.ts';
import { type ApiObject, freeze, withMetadata } from '../object.ts';
import { isPrivileged } from '../request/user.ts';
import { keyIn, type UpdateRules } from '../resource/resource.ts';
import {
  alreadyExists,
  conflict,
  generateNameConflict,
  invalid,
  kindNamed,
  modified,
  notFound,
  resourceNamed,
  StatusError,
} from '../status.ts';
import { Revision } from '../store/revision.ts';
import type { Call, Context } from '../verbs/context.ts';
import { generatedName } from './generated-name.ts';
import { inNamespace, withDistinctOwners } from './metadata.ts';

export interface Written {
  readonly revision: Revision;
  readonly created: boolean;
}

const maxNameAttempts = 8;

/** The answer to a dry run: what would have been stored, without a number. */
const unstored = (key: string, object: ApiObject): Revision => new Revision(key, 0, freeze(object));

/** Stores a new object that is decoded, defaulted and owned by its writer. */
export function commitNew(context: Context, call: Call, sent: ApiObject, dryRun: boolean): Written {
  const { resource, namespace, warnings } = call;
  const admitted = withDistinctOwners(admit(context, call, 'CREATE', inNamespace(sent, namespace)), warnings);
  assertNoEscalation(context, call, admitted, undefined);
  const { generateName, name } = admitted.metadata;
  if (!generateName || name) return { revision: create(context, call, admitted, dryRun), created: true };
  for (let attempt = 1; ; attempt += 1) {
    const named = withMetadata(admitted, { name: generatedName(context.random, generateName) });
    try {
      return { revision: create(context, call, named, dryRun), created: true };
    } catch (error) {
      const taken = error instanceof StatusError && error.status.reason === 'AlreadyExists';
      if (!taken) throw error;
      if (attempt === maxNameAttempts) throw generateNameConflict(resourceNamed(resource), named.metadata.name ?? '');
    }
  }
}

function create(context: Context, call: Call, object: ApiObject, dryRun: boolean): Revision {
  const { resource, warnings } = call;
  const { strategy } = resource;
  const collection = context.store.collection(resource.collection);
  const stamped = withMetadata(object, {
    uid: context.random.uuid(),
    creationTimestamp: timestamp(context.clock.now()),
  });
  const prepared = strategy.prepareForCreate(stamped, context.surroundings);
  const name = prepared.metadata.name ?? '';
  const causes = strategy.validate(prepared);
  if (causes.length > 0) throw invalid(kindNamed(nameOfKind(call, prepared)), name, causes);
  const unsafe = pathSegmentProblems(name, false);
  if (unsafe.length > 0) {
    throw invalid(
      kindNamed(resource),
      name,
      unsafe.map((problem) => invalidValue('metadata.name', name, problem)),
    );
  }
  assertMayCreate(context, call);
  assertOwnerPermissions(context, call, prepared, undefined);
  warnings.push(...strategy.warnings(prepared));
  const key = keyIn(prepared.metadata.namespace ?? '', name);
  const existing = collection.get(key);
  if (existing !== undefined) {
    const taken = alreadyExists(resourceNamed(resource), name);
    if (!existing.object.metadata.deletionTimestamp) throw taken;
    throw new StatusError(409, 'AlreadyExists', `object is being deleted: ${taken.message}`, taken.status.details);
  }
  if (prepared.metadata.resourceVersion) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const stored = strategy.toStorage(prepared);
  return dryRun ? unstored(key, stored) : context.store.create(collection, key, stored);
}

/** An update or an apply that makes its object needs the right to make one, too. */
function assertMayCreate({ authoriser }: Context, { user, info, resource, namespace, name }: Call): void {
  if (info.verb === 'create' || isPrivileged(user)) return;
  const { group, resource: plural } = resource;
  const wanted = {
    type: 'resource',
    verb: 'create',
    group,
    resource: plural,
    subresource: '',
    namespace,
    name,
  } as const;
  const { allowed, reason } = authoriser.decide(user, wanted);
  if (!allowed) throw refusal(user, wanted, reason);
}

/** A custom resource is called what it calls itself, even when that is what is wrong with it. */
const nameOfKind = ({ resource }: Call, object: ApiObject) => ({
  group: resource.strategy.internalGroup,
  kind: object.kind,
});

export interface Update {
  readonly rules: UpdateRules;
  /** Makes the new object from the old one, or from nothing where that is allowed. */
  readonly build: (old: ApiObject | undefined) => ApiObject;
  /** A request that must create what does not exist: server-side apply. */
  readonly mayCreate: boolean;
  readonly dryRun: boolean;
  /** An object without a resourceVersion means the current one, although its kind demands one. */
  readonly unconditional?: boolean;
}

/** Changes a stored object; an update that leaves a deleted object without finalizers removes it. */
export function commitUpdate(context: Context, call: Call, update: Update): Written {
  const { rules, build, mayCreate, dryRun, unconditional = false } = update;
  const { resource, namespace, name, warnings } = call;
  const { strategy } = resource;
  const collection = context.store.collection(resource.collection);
  const existing = collection.get(keyIn(namespace, name));
  if (existing === undefined) {
    if (!mayCreate && !strategy.createOnUpdate) throw notFound(resourceNamed(resource), name);
    // Whoever meant to change a version of it learns that there is none by its being made.
    return commitNew(context, call, withMetadata(build(undefined), { resourceVersion: undefined }), dryRun);
  }
  const old = strategy.fromStorage(existing.object);
  const built = build(old);
  const admitted = withDistinctOwners(admit(context, call, 'UPDATE', inNamespace(built, namespace)), warnings);
  assertNoEscalation(context, call, admitted, old);
  assertCurrent(call, admitted, existing, unconditional);
  const prepared = rules.prepare(
    withMetadata(admitted, { generation: old.metadata.generation, resourceVersion: old.metadata.resourceVersion }),
    old,
    context.surroundings,
  );
  const object = withSystemFields(prepared, old);
  const causes = rules.validate(object, old, (text) => warnings.push(text));
  if (causes.length > 0) throw invalid(kindNamed(nameOfKind(call, object)), object.metadata.name ?? '', causes);
  assertOwnerPermissions(context, call, object, old);
  const final = keepTimestamps(old, object) as ApiObject;
  const stored = strategy.toStorage(final);
  if (isFinished(final, old) && strategy.mayVanish(final)) {
    if (!dryRun) context.store.delete(collection, existing);
    return { revision: unstored(existing.key, stored), created: false };
  }
  return {
    revision: dryRun ? unstored(existing.key, stored) : context.store.update(collection, existing, stored),
    created: false,
  };
}

/** Optimistic locking: an object that names a version must name the current one. */
function assertCurrent({ resource, name }: Call, object: ApiObject, existing: Revision, unconditional: boolean): void {
  const { resourceVersion = '' } = object.metadata;
  if (!/^\d*$/.test(resourceVersion)) {
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (Number(resourceVersion) === 0) {
    if (unconditional || resource.strategy.unconditionalUpdate) return;
    throw invalid(resourceNamed(resource), name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (Number(resourceVersion) !== existing.number) throw modified(resourceNamed(resource), name);
}

/** An update that names a uid is about that object and no other of its name. */
export function assertUid({ resource, namespace, name }: Call, sent: ApiObject, old: ApiObject): void {
  const { uid } = sent.metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw conflict(
    resourceNamed(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${resource.collection}/${keyIn(namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
  );
}

/** What an update can neither set nor remove. */
function withSystemFields(object: ApiObject, old: ApiObject): ApiObject {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  return withMetadata(object, {
    uid: object.metadata.uid || uid,
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(object.metadata.deletionGracePeriodSeconds === undefined && { deletionGracePeriodSeconds }),
  });
}

/** The old object waited for nothing but the finalizers that the new one no longer has. */
function isFinished(object: ApiObject, old: ApiObject): boolean {
  if ((object.metadata.finalizers ?? []).length > 0 || !old.metadata.deletionTimestamp) return false;
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}
