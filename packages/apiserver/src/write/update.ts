/**
 * A change of a stored object: read, built, admitted, prepared, validated, stored.
 *
 * Without admitters that must be waited for it is synchronous from beginning to end, so that no write ever meets
 * another one half way. With them, only the last step is: an object that has changed meanwhile is read again, and all
 * is done again.
 */
import { admit } from '../admit/admission.ts';
import { attributesOf } from '../admit/attributes.ts';
import type { LateAdmission } from '../admit/late-admission.ts';
import { assertWithinLimits } from '../admit/limit-range.ts';
import { assertOwnerPermissions } from '../admit/owner-permissions.ts';
import { quotaCharges } from '../admit/resource-quota.ts';
import { assertNoEscalation } from '../admit/role-escalation.ts';
import { withoutNoOpTimestamps } from '../apply/no-op-write.ts';
import { assertStorable } from '../decode/depth.ts';
import { type ApiObject, withMetadata } from '../object.ts';
import { converted } from '../resource/conversions.ts';
import { keyIn, type UpdateRules } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';
import { invalid, kindNamed, notFound, resourceNamed, StatusError } from '../status.ts';
import type { Revision } from '../store/revision.ts';
import { chargeQuotas } from './charge-quotas.ts';
import { createObject } from './create.ts';
import { hasLostLastFinalizer } from './last-finalizer.ts';
import { afterMutation, inNamespace, withDistinctOwners } from './metadata.ts';
import { assertCurrentVersion } from './optimistic-lock.ts';
import { type MaybeLater, mustWait, refusedKind, unstored, type WriteContext, type Written } from './write-context.ts';

export interface Update {
  readonly rules: UpdateRules;
  /** Makes the new object, or the new part, from the old object, or from nothing where that is allowed; may be called again. */
  readonly build: (old: ApiObject | undefined) => ApiObject;
  /** For a write to a part that has a kind of its own, such as the scale: this is what is admitted. */
  readonly part?: Part | undefined;
  /** A request that must create what does not exist: server-side apply. */
  readonly mayCreate: boolean;
  /** An object without a resourceVersion means the current one, although its kind demands one. */
  readonly unconditional?: boolean;
}

interface Part {
  /** How an object shows it. */
  of(object: ApiObject): ApiObject;
  /** The object with another one in it. */
  into(part: ApiObject, old: ApiObject): ApiObject;
}

/** Changes a stored object; an update that leaves a deleted object without finalizers removes it. */
export function updateObject(context: WriteContext, write: Write, update: Update): MaybeLater<Written> {
  const { lateAdmission } = context;
  const admission = lateAdmission?.handles(write, 'UPDATE') ? lateAdmission : undefined;
  if (admission !== undefined || mustWait(write)) return updateLater(context, admission, write, update);
  const stored = read(context, write, update);
  return stored === undefined ? createInstead(context, write, update) : updateNow(context, write, update, stored);
}

/** An object and what the write makes of it, before the kind has had its say. */
interface Stored {
  readonly existing: Revision;
  readonly old: ApiObject;
}

const find = ({ store }: WriteContext, { resource, namespace, name }: Write): Revision | undefined =>
  store.collection(resource.collection).get(keyIn(namespace, name));

function read(context: WriteContext, write: Write, { mayCreate }: Update): Stored | undefined {
  const { resource, name } = write;
  const existing = find(context, write);
  if (existing !== undefined) return { existing, old: resource.strategy.fromStorage(existing.object) };
  if (mayCreate || resource.strategy.createOnUpdate) return undefined;
  throw notFound(resourceNamed(resource), name);
}

/** Whoever meant to change a version of it learns that there is none by its being made. */
function createInstead(context: WriteContext, write: Write, update: Update): MaybeLater<Written> {
  const created = createObject(context, write, withMetadata(update.build(undefined), { resourceVersion: undefined }));
  if (!(created instanceof Promise)) return created;
  return created.catch((error: unknown) => {
    const isRefused = !(error instanceof StatusError) || error.status.reason !== 'AlreadyExists';
    if (isRefused || find(context, write) === undefined) throw error;
    return updateObject(context, write, update); // another request made it while admitters were asked
  });
}

const whole = ({ part }: Update, { old }: Stored, sent: ApiObject): ApiObject =>
  part === undefined ? sent : part.into(sent, old);

const admitted = (context: WriteContext, write: Write, { build }: Update, { old }: Stored): ApiObject =>
  admit(context, write, 'UPDATE', inNamespace(build(old), write.namespace));

/** Changes an object that no admitter must be waited for. */
export function updateNow(context: WriteContext, write: Write, update: Update, stored: Stored): Written {
  const object = prepared(
    context,
    write,
    update,
    stored,
    whole(update, stored, admitted(context, write, update, stored)),
  );
  return commit(context, write, stored, object);
}

async function updateLater(
  context: WriteContext,
  admission: LateAdmission | undefined,
  write: Write,
  update: Update,
): Promise<Written> {
  for (;;) {
    const stored = await converted(() => read(context, write, update));
    if (stored === undefined) return createInstead(context, write, update);
    const { existing, old } = stored;
    const shown = update.part?.of ?? ((each: ApiObject) => each);
    const attributes = (sent: ApiObject) => ({
      ...attributesOf(write, 'UPDATE', { object: sent, old: shown(old) }),
      object: sent,
    });
    const sent = await converted(() => admitted(context, write, update, stored));
    const mutated = admission ? afterMutation(write, await admission.mutate(attributes(sent))) : sent;
    const object = prepared(context, write, update, stored, whole(update, stored, mutated));
    await admission?.validate(attributes(shown(object)));
    await converted(() => write.resource.strategy.toStorage(object));
    // What was admitted was about this state; any other is another question.
    if (find(context, write) === existing) return commit(context, write, stored, object);
  }
}

/** The object as it will be stored, unless something is wrong with it. */
function prepared(
  context: WriteContext,
  write: Write,
  { rules, unconditional = false }: Update,
  { existing, old }: Stored,
  sent: ApiObject,
): ApiObject {
  const distinct = withDistinctOwners(sent, write.warnings);
  assertNoEscalation(context, write, distinct, old);
  assertCurrentVersion(write, distinct, existing, unconditional);
  const { generation, resourceVersion } = old.metadata;
  const own = rules.prepare(withMetadata(distinct, { generation, resourceVersion }), old, context.strategyContext);
  const object = withSystemFields(own, old);
  const causes = rules.validate(object, old, (text) => write.warnings.push(text));
  if (causes.length > 0) throw invalid(kindNamed(refusedKind(write, object)), object.metadata.name ?? '', causes);
  assertOwnerPermissions(context, write, object, old);
  if (write.subresource === '')
    write.warnings.push(...(context.remarks?.(write.resource.collection, object, old) ?? []));
  return withoutNoOpTimestamps(old, object) as ApiObject;
}

function commit(context: WriteContext, write: Write, { existing, old }: Stored, object: ApiObject): Written {
  const { store } = context;
  const { resource, dryRun } = write;
  assertWithinLimits(context, write, object, old);
  const charges = quotaCharges(context, write, object, old);
  const { strategy, collection: name } = resource;
  const collection = store.collection(name);
  const stored = strategy.toStorage(object);
  assertStorable(stored);
  if (!dryRun) chargeQuotas(context, charges);
  if (hasLostLastFinalizer(strategy, object, old)) {
    if (!dryRun) store.delete(collection, existing);
    return { revision: unstored(existing.key, stored), created: false };
  }
  return {
    revision: dryRun ? unstored(existing.key, stored) : store.update(collection, existing, stored),
    created: false,
  };
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
