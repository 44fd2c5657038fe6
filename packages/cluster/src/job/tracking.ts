/**
 * Counting each ended pod exactly once, whatever fails in between.
 *
 * A pod that has ended is first noted in the status by its uid; then its finalizer is taken away, and only then does it
 * move from that list to the counter. After a crash at any point, what is noted and has no finalizer any more is counted,
 * and what has one is still there to be noted.
 */
import type { JobStatus } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';
import type { Ending } from './ending.ts';
import { isCounted } from './failure-policy.ts';
import { countOf, includes, indexesOf, printIndexes, union } from './indexes.ts';
import { hasFailed, hasSucceeded, indexOf, isIndexed, isTracked, validIndexOf } from './pods.ts';
import type { View } from './view.ts';

/** No more are noted at a time, so that the status stays small and one Job does not hold up the others. */
const maxUncounted = 500;

export interface Tracking {
  /** With the pods noted whose finalizers may go now. */
  readonly status: JobStatus;
  readonly toRelease: readonly Pod[];
  /** Whether there are more than fit; the next pass goes on. */
  readonly hasMore: boolean;
}

export function track(view: View, before: JobStatus, ending: Ending | undefined): Tracking {
  const { job, pods, indexes } = view;
  const tracked = pods.filter(isTracked);
  const status = settled(before, new Set(tracked.map(({ metadata }) => metadata.uid)));
  const noted = status.uncountedTerminatedPods ?? {};
  const [succeeded, failed] = [[...(noted.succeeded ?? [])], [...(noted.failed ?? [])]];
  const completed: number[] = [];
  const toRelease: Pod[] = [];
  let hasMore = false;
  for (const pod of isIndexed(job) ? byIndex(tracked) : tracked) {
    if (!mayGo(view, pod, ending)) continue;
    toRelease.push(pod);
    const { uid } = pod.metadata;
    const index = validIndexOf(job, pod);
    if (hasSucceeded(pod) && !noted.failed?.includes(uid)) {
      if (!isIndexed(job)) {
        if (!succeeded.includes(uid)) succeeded.push(uid);
      } else if (index !== undefined && !includes(indexes?.counted ?? [], index)) completed.push(index);
    } else if (hasFailed(job, pod) || ending?.outcome === 'Failed') {
      const isMissing = !failed.includes(uid) && (!isIndexed(job) || index !== undefined);
      if (isMissing && isCounted(job.spec.podFailurePolicy, pod)) failed.push(uid);
    }
    hasMore = completed.length + succeeded.length + failed.length >= maxUncounted;
    if (hasMore) break;
  }
  const next = { ...status, uncountedTerminatedPods: { succeeded, failed } };
  if (!indexes) return { status: normalised(next), toRelease, hasMore };
  const done = union(indexes.succeeded, indexesOf(completed));
  const byIndexes = {
    succeeded: countOf(done),
    completedIndexes: printIndexes(done),
    failedIndexes: indexes.failed && printIndexes(indexes.failed),
  };
  return { status: normalised({ ...next, ...byIndexes }), toRelease, hasMore };
}

/** Whether the Job needs the pod no longer. */
function mayGo({ job, indexes }: View, pod: Pod, ending: Ending | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending || hasSucceeded(pod)) return true;
  const index = indexOf(pod);
  const isKept = index !== undefined && indexes?.awaitingReplacement.get(index)?.metadata.uid === pod.metadata.uid;
  return hasFailed(job, pod) && !isKept;
}

const byIndex = (pods: readonly Pod[]): readonly Pod[] =>
  [...pods].sort((a, b) => (indexOf(a) ?? -1) - (indexOf(b) ?? -1));

/** The noted pods that are tracked no longer become numbers. */
export function settled(status: JobStatus, tracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const left = (uids: readonly string[]) => uids.filter((uid) => tracked.has(uid));
  const [leftSucceeded, leftFailed] = [left(succeeded), left(failed)];
  return normalised({
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - leftSucceeded.length,
    failed: (status.failed ?? 0) + failed.length - leftFailed.length,
    uncountedTerminatedPods: { succeeded: leftSucceeded, failed: leftFailed },
  });
}

export const isAllCounted = ({ uncountedTerminatedPods: { succeeded = [], failed = [] } = {} }: JobStatus): boolean =>
  succeeded.length + failed.length === 0;

/** As the server would return it: what is zero or empty is absent, unless absence would mean something else. */
export function normalised(status: JobStatus): JobStatus {
  const { uncountedTerminatedPods: { succeeded = [], failed = [] } = {}, ...rest } = status;
  const optional = new Set(['active', 'succeeded', 'failed', 'completedIndexes']);
  const kept = Object.entries(rest).filter(([name, value]) => value !== undefined && !(optional.has(name) && !value));
  return {
    ...Object.fromEntries(kept),
    uncountedTerminatedPods: {
      ...(succeeded.length > 0 ? { succeeded } : {}),
      ...(failed.length > 0 ? { failed } : {}),
    },
  };
}
