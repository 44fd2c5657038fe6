/** Pods that were to be evicted and are still there: after two minutes the condition is not to be believed any more. */
import { timestamp } from '@keelson/core';
import type { Pod, PodCondition } from '@keelson/core/v1';

const staleAfterMs = 120_000;
const type = 'DisruptionTarget';

/** In how many milliseconds the pod's condition is stale, 0 if it is; `undefined` when it has none that could be. */
export function staleInMs({ metadata, status }: Pod, wallMs: number): number | undefined {
  if (metadata.deletionTimestamp !== undefined || status.phase === 'Succeeded' || status.phase === 'Failed') {
    return undefined;
  }
  const target = targetOf(status);
  // The kubelet may take its time: what it says is never stale.
  if (target?.status !== 'True' || target.reason === 'TerminationByKubelet') return undefined;
  return Math.max(0, Date.parse(target.lastTransitionTime ?? '') + staleAfterMs - wallMs);
}

/** The status with the condition taken back. */
export function withoutTarget({ metadata, status }: Pod, wallMs: number): Pod['status'] {
  const target = targetOf(status);
  const takenBack: PodCondition = {
    type,
    status: 'False',
    observedGeneration: metadata.generation,
    lastProbeTime: null,
    lastTransitionTime: timestamp(wallMs),
  };
  return { ...status, conditions: status.conditions?.map((each) => (each === target ? takenBack : each)) };
}

function targetOf({ conditions = [] }: Pod['status']): PodCondition | undefined {
  return conditions.find((each) => each.type === type);
}
