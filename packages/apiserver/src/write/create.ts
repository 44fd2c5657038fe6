/**
 * A new object on its way into the store: admitted, named, prepared, validated, stored.
 *
 * Without admitters that must be waited for it is synchronous from beginning to end; with them, only the last step is.
 */
import { timestamp } from '@keelson/core';
import { invalidValue, pathSegmentProblems } from '@keelson/schema/validation';
import { admit } from '../admit/admission.ts';
import { attributesOf } from '../admit/attributes.ts';
import { assertMayCreate } from '../admit/create-permission.ts';
import type { LateAdmission } from '../admit/late-admission.ts';
import { assertWithinLimits } from '../admit/limit-range.ts';
import { assertOwnerPermissions } from '../admit/owner-permissions.ts';
import { quotaCharges } from '../admit/resource-quota.ts';
import { assertNoEscalation } from '../admit/role-escalation.ts';
import { assertStorable } from '../decode/depth.ts';
import { type ApiObject, withMetadata } from '../object.ts';
import { converted } from '../resource/conversions.ts';
import { generatedName } from '../resource/generated-name.ts';
import { keyIn } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { alreadyExists, generateNameConflict, invalid, kindNamed, resourceNamed, StatusError } from '../status.ts';
import { chargeQuotas } from './charge-quotas.ts';
import { afterMutation, inNamespace, withDistinctOwners } from './metadata.ts';
import { type MaybeLater, mustWait, refusedKind, unstored, type WriteContext, type Written } from './write-context.ts';

const maxNameAttempts = 8;

/** Stores a new object that is decoded, defaulted and owned by its writer. */
export function createObject(context: WriteContext, write: Write, sent: ApiObject): MaybeLater<Written> {
  const { lateAdmission } = context;
  const admitted = admit(context, write, 'CREATE', inNamespace(sent, write.namespace));
  const admission = lateAdmission?.handles(write, 'CREATE') ? lateAdmission : undefined;
  if (admission !== undefined || mustWait(write)) return createLater(context, admission, write, admitted);
  return commit(context, write, prepared(context, write, admitted));
}

async function createLater(
  context: WriteContext,
  admission: LateAdmission | undefined,
  write: Write,
  admitted: ApiObject,
): Promise<Written> {
  const attributes = (object: ApiObject) => ({ ...attributesOf(write, 'CREATE', { object, old: undefined }), object });
  const mutated = admission ? afterMutation(write, await admission.mutate(attributes(admitted))) : admitted;
  for (let attempt = 1; ; attempt += 1) {
    const object = prepared(context, write, mutated);
    await admission?.validate(attributes(object));
    await converted(() => write.resource.strategy.toStorage(object));
    // A name that was made up and free before the admitters were asked may be taken by now.
    const isLost = !mutated.metadata.name && isTaken(context, write, object) && attempt < maxNameAttempts;
    if (!isLost) return commit(context, write, object);
  }
}

const keyOf = ({ metadata }: ApiObject): string => keyIn(metadata.namespace ?? '', metadata.name ?? '');

const isTaken = ({ store }: WriteContext, { resource }: Write, object: ApiObject): boolean =>
  store.collection(resource.collection).get(keyOf(object)) !== undefined;

/** The object as it will be stored, unless something is wrong with it. */
function prepared(context: WriteContext, write: Write, admitted: ApiObject): ApiObject {
  const { resource, warnings } = write;
  const { strategy } = resource;
  const distinct = withDistinctOwners(admitted, warnings);
  assertNoEscalation(context, write, distinct, undefined);
  const stamped = withMetadata(named(context, write, distinct), {
    uid: context.random.uuid(),
    creationTimestamp: timestamp(context.clock.now()),
  });
  const object = strategy.prepareForCreate(stamped, context.strategyContext);
  const name = object.metadata.name ?? '';
  const causes = strategy.validate(object);
  if (causes.length > 0) throw invalid(kindNamed(refusedKind(write, object)), name, causes);
  const unsafe = pathSegmentProblems(name, false);
  if (unsafe.length > 0) {
    throw invalid(
      kindNamed(resource),
      name,
      unsafe.map((problem) => invalidValue('metadata.name', name, problem)),
    );
  }
  assertMayCreate(context, write);
  assertOwnerPermissions(context, write, object, undefined);
  warnings.push(...strategy.warnings(object), ...(context.remarks?.(resource.collection, object) ?? []));
  return object;
}

/** `generateName` stands for a name that is free. */
function named(context: WriteContext, write: Write, object: ApiObject): ApiObject {
  const { generateName, name } = object.metadata;
  if (!generateName || name) return object;
  for (let attempt = 1; ; attempt += 1) {
    const candidate = withMetadata(object, { name: generatedName(context.random, generateName) });
    if (!isTaken(context, write, candidate)) return candidate;
    if (attempt === maxNameAttempts) {
      throw generateNameConflict(resourceNamed(write.resource), candidate.metadata.name ?? '');
    }
  }
}

function commit(context: WriteContext, write: Write, object: ApiObject): Written {
  const { store } = context;
  const { resource, dryRun } = write;
  assertWithinLimits(context, write, object, undefined);
  const charges = quotaCharges(context, write, object, undefined);
  const collection = store.collection(resource.collection);
  const key = keyOf(object);
  const existing = collection.get(key);
  if (existing !== undefined) {
    const refusal = alreadyExists(resourceNamed(resource), object.metadata.name ?? '');
    if (!existing.object.metadata.deletionTimestamp) throw refusal;
    throw new StatusError(409, 'AlreadyExists', `object is being deleted: ${refusal.message}`, refusal.status.details);
  }
  if (object.metadata.resourceVersion) {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const stored = resource.strategy.toStorage(object);
  assertStorable(stored);
  if (!dryRun) chargeQuotas(context, charges);
  return { revision: dryRun ? unstored(key, stored) : store.create(collection, key, stored), created: true };
}
