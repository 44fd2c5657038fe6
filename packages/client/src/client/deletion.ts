/** Deleting: what is asked, and what the answer means. */
import type { KubernetesObject, Status } from '@keelson/core';
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
  const { uid, deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  const isWaiting = (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0;
  return deletionTimestamp && isWaiting ? { type: 'terminating', object } : { type: 'deleted', uid };
}
