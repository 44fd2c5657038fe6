/** What a ReplicaSet sees in its pods: which count, which are ready, and since when. */
import type { Pod } from '@keelson/core/v1';

/** It serves, or may yet. */
export const isActive = ({ metadata, status }: Pod): boolean =>
  !isTerminal(status) && metadata.deletionTimestamp === undefined;

/** It was deleted, and still runs. */
export const isTerminating = ({ metadata, status }: Pod): boolean =>
  !isTerminal(status) && metadata.deletionTimestamp !== undefined;

const isTerminal = ({ phase }: Pod['status']): boolean => phase === 'Succeeded' || phase === 'Failed';

const readyCondition = ({ status }: Pod) =>
  status.conditions?.find(({ type, status: isTrue }) => type === 'Ready' && isTrue === 'True');

export const isReady = (pod: Pod): boolean => readyCondition(pod) !== undefined;

/** Wall time in milliseconds since which it is ready; `undefined` when it is not, or it was not noted. */
export function readySince(pod: Pod): number | undefined {
  const { lastTransitionTime } = readyCondition(pod) ?? {};
  return lastTransitionTime ? Date.parse(lastTransitionTime) : undefined;
}

/** Ready for at least `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, wallMs: number): boolean {
  if (!isReady(pod)) return false;
  const since = readySince(pod);
  return minReadySeconds === 0 || (since !== undefined && since + minReadySeconds * 1000 <= wallMs);
}

/** In how many milliseconds the next pod becomes available by time alone; `undefined` when none does. */
export function nextAvailabilityMs(pods: readonly Pod[], minReadySeconds: number, wallMs: number): number | undefined {
  const waits = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, wallMs))
    .map((pod) => (readySince(pod) ?? wallMs) + minReadySeconds * 1000 - wallMs);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
