/** Deleting: what is asked, and what the answer means. */
import type { KubernetesObject, Status } from '@keelson/core';
import type { Namespace } from '@keelson/core/v1';
import { fieldsIn, objectIn } from '../transport/shape.ts';
import type { DeleteOptions, DeleteResult } from './client.ts';

export function deleteBody({ preconditions, propagationPolicy, gracePeriodSeconds, dryRun }: DeleteOptions): string {
  return JSON.stringify({
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRun ? ['All'] : undefined,
  });
}

/** The server answers with a Status, or with the object: as it was when it went, or as it waits now. */
export function deleteResult<T extends KubernetesObject>(action: string, answer: unknown): DeleteResult<T> {
  const { kind, apiVersion, details } = fieldsIn<Status>(action, answer);
  if (kind === 'Status' && apiVersion === 'v1') return { type: 'deleted', uid: details?.uid };
  const object = objectIn<T>(action, answer);
  const { uid, deletionTimestamp } = object.metadata;
  return deletionTimestamp && isWaiting(object) ? { type: 'terminating', object } : { type: 'deleted', uid };
}

/** Whether the write that is answered with this object was the last that its deletion waited for. */
export function hasLetGo(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && !isWaiting(object);
}

/** Whether anything keeps an object once it is deleted. */
function isWaiting(object: KubernetesObject): boolean {
  const { finalizers = [], deletionGracePeriodSeconds = 0 } = object.metadata;
  return finalizers.length > 0 || deletionGracePeriodSeconds > 0 || namespaceFinalizers(object).length > 0;
}

/** A namespace waits until it is empty, and says so in its spec. */
function namespaceFinalizers(object: KubernetesObject): readonly string[] {
  if (object.kind !== 'Namespace' || object.apiVersion !== 'v1') return [];
  return (object as Namespace).spec?.finalizers ?? [];
}
