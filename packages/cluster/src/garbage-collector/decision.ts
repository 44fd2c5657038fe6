/** What becomes of an object, once the server has been asked about each of its owners. */
import type { OwnerReference } from '@keelson/core';
import { foregroundFinalizer, orphanFinalizer } from './graph.ts';

export type OwnerState =
  /** It exists, and is not waiting for its dependents. */
  | 'solid'
  /** It exists and is being deleted in the foreground. */
  | 'waiting'
  /** It does not exist. */
  | 'absent';

export type Decision =
  | { readonly type: 'keep' }
  /** Some owner stays, so the object does; these references go. */
  | { readonly type: 'forget owners'; readonly uids: ReadonlySet<string> }
  | {
      readonly type: 'delete';
      readonly policy: 'Background' | 'Foreground' | 'Orphan';
      /** First make its references non-blocking: one of its dependents waits as well, and both would wait for ever. */
      readonly unblockOwners: boolean;
    };

export interface Dependent {
  readonly isDeletingDependents: boolean;
}

export function decisionFor(
  owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[],
  finalizers: readonly string[],
  dependents: readonly Dependent[],
): Decision {
  if (owners.length === 0) return { type: 'keep' };
  const isWaitedFor = owners.some(({ state }) => state === 'waiting');
  if (owners.some(({ state }) => state === 'solid')) {
    const gone = owners.filter(({ state }) => state !== 'solid').map(({ reference }) => reference.uid);
    return gone.length === 0 ? { type: 'keep' } : { type: 'forget owners', uids: new Set(gone) };
  }
  if (isWaitedFor && dependents.length > 0) {
    const unblockOwners = dependents.some(({ isDeletingDependents }) => isDeletingDependents);
    return { type: 'delete', policy: 'Foreground', unblockOwners };
  }
  return { type: 'delete', policy: policyOf(finalizers), unblockOwners: false };
}

/** What was asked for before is honoured. */
function policyOf(finalizers: readonly string[]): 'Background' | 'Foreground' | 'Orphan' {
  if (finalizers.includes(orphanFinalizer)) return 'Orphan';
  return finalizers.includes(foregroundFinalizer) ? 'Foreground' : 'Background';
}
