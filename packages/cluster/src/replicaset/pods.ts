/**
 * What a ReplicaSet sees in its pods: which count, which are ready, and since when.
 *
 * Readiness is found once for each state of a pod: with a thousand pods it is asked for a million times while they start.
 */
import { controllerOf, equalJson } from '@keelson/core';
import type { Pod } from '@keelson/core/v1';

/** It serves, or may yet. */
export const isActive = ({ metadata, status }: Pod): boolean =>
  !isTerminal(status) && metadata.deletionTimestamp === undefined;

/** It was deleted, and still runs. */
export const isTerminating = ({ metadata, status }: Pod): boolean =>
  !isTerminal(status) && metadata.deletionTimestamp !== undefined;

const isTerminal = ({ phase }: Pod['status']): boolean => phase === 'Succeeded' || phase === 'Failed';

interface Readiness {
  readonly isReady: boolean;
  readonly since: number | undefined;
}

const known = new WeakMap<Pod, Readiness>();

function readinessOf(pod: Pod): Readiness {
  const found = known.get(pod);
  if (found) return found;
  const condition = pod.status.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  const time = condition?.lastTransitionTime;
  const readiness = { isReady: condition !== undefined, since: time ? Date.parse(time) : undefined };
  known.set(pod, readiness);
  return readiness;
}

export const isReady = (pod: Pod): boolean => readinessOf(pod).isReady;

/** Wall time in milliseconds since which it is ready; `undefined` when it is not, or it was not noted. */
export const readySince = (pod: Pod): number | undefined => readinessOf(pod).since;

/** Whether a change of a pod is one for whoever counts it: most, such as a new address, are not. */
export function isCountedChange(before: Pod, after: Pod): boolean {
  return (
    isActive(before) !== isActive(after) ||
    isTerminating(before) !== isTerminating(after) ||
    isReady(before) !== isReady(after) ||
    readySince(before) !== readySince(after) ||
    controllerOf(before)?.uid !== controllerOf(after)?.uid ||
    !equalJson(before.metadata.labels, after.metadata.labels)
  );
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
