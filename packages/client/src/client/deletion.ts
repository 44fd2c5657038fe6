/** Deleting: what is asked, and what the answer means. */
import type { KubernetesObject } from '@keelson/core';
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
export function deleteResult<T extends KubernetesObject>(answer: T): DeleteResult<T> {
  if (answer.kind === 'Status' && answer.apiVersion === 'v1') {
    return { type: 'deleted', uid: (answer as { details?: { uid?: string } }).details?.uid };
  }
  const { uid, deletionTimestamp, deletionGracePeriodSeconds, finalizers } = answer.metadata;
  const isWaiting = (finalizers?.length ?? 0) > 0 || (deletionGracePeriodSeconds ?? 0) > 0;
  return deletionTimestamp && isWaiting ? { type: 'terminating', object: answer } : { type: 'deleted', uid };
}
