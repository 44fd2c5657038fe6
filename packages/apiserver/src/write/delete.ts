/**
 * Deletion: marks an object that must still wait (for its grace, for finalizers), and removes one that must not.
 *
 * Without admitters that must be waited for it is synchronous; with them, an object that has changed while they were
 * asked is read again, and they are asked again.
 */
import { timestamp } from '@keelson/core';
import { admit } from '../admit/admission.ts';
import { attributesOf } from '../admit/attributes.ts';
import type { LateAdmission } from '../admit/late-admission.ts';
import { type ApiObject, freeze, withMetadata } from '../object.ts';
import { converted } from '../resource/conversions.ts';
import type { Resource } from '../resource/resource.ts';
import type { DeleteOptions, Write } from '../resource/write.ts';
import { Revision } from '../store/revision.ts';
import { generationOfDeleted } from './generation.ts';
import { assertPreconditions } from './optimistic-lock.ts';
import type { MaybeLater, WriteContext } from './write-context.ts';

export interface Deleted {
  readonly revision: Revision;
  /** It is gone, and not merely marked. */
  readonly gone: boolean;
  /** The answer is the object, and not a word that it is done. */
  readonly showsObject: boolean;
}

/** Deletes the object of that key by the rules of its kind; `undefined` when there is none. */
export function deleteObject(
  context: WriteContext,
  write: Write,
  key: string,
  options: DeleteOptions,
): MaybeLater<Deleted | undefined> {
  const { lateAdmission } = context;
  if (lateAdmission?.handles(write, 'DELETE')) return deleteLater(context, lateAdmission, write, key, options);
  const existing = context.store.collection(write.resource.collection).get(key);
  return existing === undefined ? undefined : deleteNow(context, write, existing, options);
}

async function deleteLater(
  context: WriteContext,
  admission: LateAdmission,
  write: Write,
  key: string,
  options: DeleteOptions,
): Promise<Deleted | undefined> {
  const collection = context.store.collection(write.resource.collection);
  for (;;) {
    const existing = collection.get(key);
    if (existing === undefined) return undefined;
    const old = await converted(() => write.resource.strategy.fromStorage(existing.object));
    // Of what is refused anyway, nothing is asked.
    assertPreconditions(write.resource, old, options.preconditions);
    admit(context, { ...write, name: old.metadata.name ?? '' }, 'DELETE', old);
    const attributes = attributesOf(write, 'DELETE', { object: undefined, old });
    await admission.mutate(attributes);
    await admission.validate(attributes);
    if (collection.get(key) === existing) return deleteNow(context, write, existing, options);
  }
}

/** What a graceful deletion does to an object's metadata. */
type Grace =
  /** The kind knows no grace, or it has run out. */
  | { readonly type: 'none' }
  /** It is under way, and this request does not make it shorter. */
  | { readonly type: 'pending' }
  | { readonly type: 'begun'; readonly object: ApiObject; readonly seconds: number };

function graceOf({ strategy }: Resource, object: ApiObject, requested: number | undefined, now: number): Grace {
  const { deletionTimestamp, deletionGracePeriodSeconds: running } = object.metadata;
  const wanted = requested !== undefined && requested < 0 ? 1 : requested;
  const seconds = strategy.grace(object, wanted);
  if (seconds === undefined) return { type: 'none' };
  if (!deletionTimestamp) {
    const marked = withMetadata(object, {
      deletionTimestamp: timestamp(now + seconds * 1000),
      deletionGracePeriodSeconds: seconds,
      ...generationOfDeleted(object.metadata),
    });
    return { type: 'begun', object: marked, seconds };
  }
  if (running === undefined || running === 0) return { type: 'none' };
  if (wanted === undefined || wanted >= running) return { type: 'pending' };
  const ends = Date.parse(deletionTimestamp) - running * 1000 + wanted * 1000;
  const isOver = ends < now;
  const shortened = isOver && wanted !== 0 ? 1 : wanted;
  const marked = withMetadata(object, {
    deletionTimestamp: timestamp(isOver ? now : ends),
    deletionGracePeriodSeconds: shortened,
  });
  return { type: 'begun', object: marked, seconds: wanted };
}

/** The finalizers that the garbage collector needs, by what the request and the object say about dependents. */
function collectorFinalizers(
  object: ApiObject,
  { propagation, orphanDependents }: DeleteOptions,
  orphansByDefault: boolean,
): readonly string[] {
  const finalizers = object.metadata.finalizers ?? [];
  const others = finalizers.filter((each) => each !== 'orphan' && each !== 'foregroundDeletion');
  if (orphanDependents !== undefined) return orphanDependents ? [...others, 'orphan'] : others;
  if (propagation === 'Orphan') return [...others, 'orphan'];
  if (propagation === 'Foreground') return [...others, 'foregroundDeletion'];
  if (propagation === 'Background') return others;
  const isSaid = others.length < finalizers.length;
  return orphansByDefault && !isSaid ? [...others, 'orphan'] : finalizers;
}

/** Deletes an object that no admitter must be waited for. */
export function deleteNow(context: WriteContext, write: Write, existing: Revision, options: DeleteOptions): Deleted {
  const { resource, dryRun } = write;
  const { strategy } = resource;
  const { store, clock } = context;
  const collection = store.collection(resource.collection);
  const object = existing.object;
  const now = clock.now();
  admit(context, { ...write, name: object.metadata.name ?? '' }, 'DELETE', object);
  assertPreconditions(resource, object, options.preconditions);
  const stored = (changed: ApiObject): Revision =>
    dryRun ? new Revision(existing.key, existing.number, freeze(changed)) : store.update(collection, existing, changed);

  const marked = strategy.markDeleted?.(object, timestamp(now));
  if (marked !== undefined) return { revision: stored(marked), gone: false, showsObject: true };
  if (object.metadata.deletionTimestamp && !strategy.isFinalized(object)) {
    return { revision: existing, gone: false, showsObject: true };
  }

  const grace = graceOf(resource, object, options.gracePeriodSeconds, now);
  if (grace.type === 'pending') return { revision: existing, gone: false, showsObject: strategy.returnsDeleted };
  const finalizers = strategy.collectible
    ? collectorFinalizers(object, options, strategy.orphansDependents)
    : (object.metadata.finalizers ?? []);
  const isWaiting = finalizers.length > 0;
  const graceful = grace.type === 'begun' ? grace.object : object;
  if (isWaiting) {
    const waiting = withMetadata(graceful, { finalizers });
    return {
      revision: stored(grace.type === 'begun' ? waiting : markedNow(waiting, now)),
      gone: false,
      showsObject: true,
    };
  }
  const bare = withMetadata(graceful, { finalizers: undefined });
  if (grace.type === 'begun' && grace.seconds > 0) {
    return { revision: stored(bare), gone: false, showsObject: true };
  }
  if (dryRun) return { revision: stored(bare), gone: true, showsObject: strategy.returnsDeleted };
  // Watchers of a kind with grace see the last mark before the end.
  const last = grace.type === 'begun' ? store.update(collection, existing, bare) : existing;
  return { revision: store.delete(collection, last), gone: true, showsObject: strategy.returnsDeleted };
}

/** For kinds without grace that wait for finalizers. */
function markedNow(object: ApiObject, now: number): ApiObject {
  const { deletionTimestamp } = object.metadata;
  const isNew = !deletionTimestamp;
  return withMetadata(object, {
    deletionTimestamp: isNew || Date.parse(deletionTimestamp) > now ? timestamp(now) : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
    ...(isNew && generationOfDeleted(object.metadata)),
  });
}
