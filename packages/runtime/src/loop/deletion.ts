/**
 * Deletion: what is done for an object that lives, one that is being deleted and one that is gone, and the finalizer that
 * keeps it until its clean-up has succeeded.
 *
 * Promises: the finalizer is on the server before the first `reconcile` of an object, and is taken away only after
 * `finalize` succeeded; it is put back while the object lives. Each write carries the resourceVersion that it is based
 * on, so it neither revives an object nor touches another one of the same name.
 */
import type { Client } from '@keelson/client';
import {
  hasFinalizer,
  isConflict,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  withFinalizer,
  withoutFinalizer,
} from '@keelson/core';
import type { Caches } from '../cache/caches.ts';

export type Step = 'reconcile' | 'finalize' | 'nothing';

/** What an object needs; `finalizer` is absent where nothing has to be cleaned up. */
export function stepFor(object: KubernetesObject | undefined, finalizer: string | undefined): Step {
  if (object === undefined) return 'nothing';
  if (object.metadata.deletionTimestamp === undefined) return 'reconcile';
  // Without our finalizer, no pass of ours ever began with it, or its clean-up is done.
  return finalizer !== undefined && hasFinalizer(object, finalizer) ? 'finalize' : 'nothing';
}

export interface Finalized {
  readonly client: Client;
  readonly caches: Caches;
  readonly kind: Kind;
  readonly finalizer: string;
}

/** The object with its finalizer on the server; it is asked for nothing when it has it already. */
export async function ensureFinalizer<T extends KubernetesObject>(
  object: T,
  { client, kind, finalizer }: Finalized,
): Promise<T> {
  if (hasFinalizer(object, finalizer)) return object;
  return (await client.patch(kind, keyOf(object), finalizersOf(withFinalizer(object, finalizer)))) as T;
}

/** Who writes just now may be at it again with the next try. */
const mostTries = 5;

/** The clean-up is done: lets the object go. */
export async function removeFinalizer(
  object: KubernetesObject,
  { client, caches, kind, finalizer }: Finalized,
): Promise<void> {
  const key = keyOf(object);
  const { uid } = object.metadata;
  let current: KubernetesObject | undefined = caches.store(kind).get(key) ?? object;
  for (let tries = 1; current?.metadata.uid === uid && hasFinalizer(current, finalizer); tries++) {
    try {
      await client.patch(kind, key, finalizersOf(withoutFinalizer(current, finalizer)));
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === mostTries) throw error;
      // Someone wrote in between. What was cleaned up is not cleaned up again for that.
      current = await client.find(kind, key);
    }
  }
}

/** A merge patch that says the finalizers, and is refused if the object has changed. */
const finalizersOf = ({ metadata: { uid, resourceVersion, finalizers } }: KubernetesObject) => ({
  metadata: { uid, resourceVersion, finalizers: finalizers ?? [] },
});
