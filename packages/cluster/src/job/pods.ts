/** What a Job sees in its pods: who is tracked, who has failed, at which index, and when they ended. */
import { hasFinalizer } from '@keelson/core';
import type { Job } from '@keelson/core/batch/v1';
import type { ContainerStatus, Pod } from '@keelson/core/v1';

/** Keeps a pod that has ended until the Job has counted it. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';
export const indexName = 'batch.kubernetes.io/job-completion-index';
export const failureCountName = 'batch.kubernetes.io/job-index-failure-count';
export const ignoredFailureCountName = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isTracked = (pod: Pod): boolean => hasFinalizer(pod, trackingFinalizer);

export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';

/** A deleted pod is replaced when it has failed, and not while it ends. */
export const replacesOnlyFailed = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;

export const hasSucceeded = ({ status }: Pod): boolean => status.phase === 'Succeeded';

/** A deleted pod counts as failed at once, unless the Job waits for its end: it may never come to report one. */
export function hasFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status.phase === 'Failed') return true;
  if (replacesOnlyFailed(job)) return false;
  return metadata.deletionTimestamp !== undefined && status.phase !== 'Succeeded';
}

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;

export const indexOf = ({ metadata }: Pod): number | undefined => number(metadata.annotations?.[indexName]);

/** The pod's index, if the Job has such a one. */
export function validIndexOf({ spec }: Job, pod: Pod): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** How often the pod's index had failed before this pod. */
export const failuresBefore = ({ metadata }: Pod): number => number(metadata.annotations?.[failureCountName]) ?? 0;
export const ignoredFailuresBefore = ({ metadata }: Pod): number =>
  number(metadata.annotations?.[ignoredFailureCountName]) ?? 0;

/** When it ended, as well as it is known. */
export function finishedAt(pod: Pod): number {
  const { metadata, status } = pod;
  const containers = latestEnd(pod);
  if (containers !== undefined) return containers;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && ready.lastTransitionTime) return Date.parse(ready.lastTransitionTime);
  if (metadata.deletionTimestamp !== undefined) {
    return Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  }
  return Date.parse(metadata.creationTimestamp);
}

/** Of containers and sidecars; `undefined` as long as one of them runs, or there is none. */
function latestEnd({ spec, status }: Pod): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const names = new Set(sidecars.map(({ name }) => name));
  const counted: readonly ContainerStatus[] = [
    ...(status.containerStatuses ?? []),
    ...(status.initContainerStatuses ?? []).filter(({ name }) => names.has(name)),
  ];
  const ends = counted.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  return ends.length === 0 || ends.some(Number.isNaN) ? undefined : Math.max(...ends);
}
