/**
 * What a Job and its pods add up to, before anything is done about it.
 *
 * A pod is new when it has ended, is tracked still and stands in no list of uncounted pods: it has not been counted yet
 * and must be counted once.
 */
import type { Job } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';
import { isActive, isReady, isTerminating } from '../replicaset/pods.ts';
import { isCounted, matchFailure } from './failure-policy.ts';
import { countOf, type Indexes, includes, indexesOf, parseIndexes, union } from './indexes.ts';
import {
  failuresBefore,
  finishedAt,
  hasFailed,
  hasSucceeded,
  ignoredFailuresBefore,
  indexOf,
  isIndexed,
  isTracked,
  validIndexOf,
} from './pods.ts';

export interface View {
  readonly job: Job;
  readonly pods: readonly Pod[];
  readonly active: readonly Pod[];
  readonly ready: number;
  readonly terminating: number;
  readonly newlySucceeded: readonly Pod[];
  readonly newlyFailed: readonly Pod[];
  /** With those that are not counted yet. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of an Indexed Job. */
  readonly indexes: IndexView | undefined;
}

interface IndexView {
  /** As the status has them. */
  readonly counted: Indexes;
  readonly succeeded: Indexes;
  /** With a limit for each index only. */
  readonly failed: Indexes | undefined;
  /** The last failed pod of an index that has no other yet: it is kept, since it says how often the index has failed. */
  readonly awaitingReplacement: ReadonlyMap<number, Pod>;
}

export function viewOf(job: Job, pods: readonly Pod[]): View {
  const { status, spec } = job;
  const active = pods.filter(isActive);
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = status.uncountedTerminatedPods ?? {};
  const isNew = (pod: Pod, uncounted: readonly string[]) =>
    isTracked(pod) &&
    !uncounted.includes(pod.metadata.uid) &&
    (!isIndexed(job) || validIndexOf(job, pod) !== undefined);
  const newlySucceeded = pods.filter((pod) => hasSucceeded(pod) && isNew(pod, uncountedSucceeded));
  const newlyFailed = pods.filter((pod) => hasFailed(job, pod) && isNew(pod, uncountedFailed));
  const countedFailures = newlyFailed.filter((pod) => isCounted(spec.podFailurePolicy, pod)).length;
  const indexes = isIndexed(job) ? indexesIn(job, pods, active) : undefined;
  return {
    job,
    pods,
    active,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    newlySucceeded,
    newlyFailed,
    succeeded: indexes
      ? countOf(indexes.succeeded)
      : (status.succeeded ?? 0) + newlySucceeded.length + uncountedSucceeded.length,
    failed: (status.failed ?? 0) + countedFailures + uncountedFailed.length,
    indexes,
  };
}

function indexesIn(job: Job, pods: readonly Pod[], active: readonly Pod[]): IndexView {
  const { completions = 0 } = job.spec;
  const tracked = pods.filter(isTracked);
  const valid = (list: readonly Pod[]) => indexesOf(list.flatMap((pod) => validIndexOf(job, pod) ?? []));
  const counted = parseIndexes(job.status.completedIndexes ?? '', completions);
  const succeeded = union(counted, valid(tracked.filter(hasSucceeded)));
  const failed = hasLimitPerIndex(job)
    ? union(
        parseIndexes(job.status.failedIndexes ?? '', completions),
        valid(tracked.filter((pod) => isLastFailure(job, pod))),
      )
    : undefined;
  const settled = union(union(succeeded, failed ?? []), takenBy(active));
  const candidates = failed ? tracked.filter((pod) => hasFailed(job, pod)) : [];
  return { counted, succeeded, failed, awaitingReplacement: lastFailures(job, candidates, settled) };
}

export const hasLimitPerIndex = ({ spec }: Job): boolean => spec.backoffLimitPerIndex !== undefined;

/** The indexes that these pods have, whether the Job knows them or not. */
export const takenBy = (pods: readonly Pod[]): Indexes => indexesOf(pods.flatMap((pod) => indexOf(pod) ?? []));

/** No replacement is left for the index of this pod. */
function isLastFailure(job: Job, pod: Pod): boolean {
  if (!hasFailed(job, pod)) return false;
  const action = matchFailure(job.spec.podFailurePolicy, pod)?.action;
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && failuresBefore(pod) >= (job.spec.backoffLimitPerIndex ?? 0);
}

function lastFailures(job: Job, failed: readonly Pod[], settled: Indexes): ReadonlyMap<number, Pod> {
  const failures = (pod: Pod) => failuresBefore(pod) + ignoredFailuresBefore(pod);
  const last = new Map<number, Pod>();
  for (const pod of failed) {
    const index = validIndexOf(job, pod);
    if (index === undefined || includes(settled, index)) continue;
    const other = last.get(index);
    const isLater = !other || (failures(other) <= failures(pod) && finishedAt(other) <= finishedAt(pod));
    if (isLater) last.set(index, pod);
  }
  return last;
}
