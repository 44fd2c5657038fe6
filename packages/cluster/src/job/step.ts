/** What a Job that goes on does about its pods: delete some, make some, or wait; never two of these in one pass. */
import type { Job } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';
import { bySimpleAge } from '../replicaset/deletion-order.ts';
import { isTerminating } from '../replicaset/pods.ts';
import { type Backoff, remainingMs, remainingMsAfter } from './backoff.ts';
import { lowestFree, union } from './indexes.ts';
import { indexOf, isIndexed, replacesOnlyFailed } from './pods.ts';
import { hasLimitPerIndex, takenBy, type View } from './view.ts';

export type Step =
  | { readonly type: 'delete'; readonly pods: readonly Pod[] }
  /** One pod for each entry; of an Indexed Job it is the pod's index. */
  | { readonly type: 'create'; readonly indexes: readonly (number | undefined)[] }
  /** Pods have failed, and the next one comes later. */
  | { readonly type: 'wait'; readonly ms: number };

/** No more than this in one pass, so that one Job cannot hold up all others. */
const maxBurst = 500;

export function stepOf(view: View, backoff: Backoff, wallMs: number): Step {
  const { job, active, terminating } = view;
  if (job.spec.suspend) return { type: 'delete', pods: surplus(job, active, active.length) };
  const wanted = wantedActive(view);
  const tooMany = surplus(job, active, Math.max(0, active.length - wanted));
  if (tooMany.length > 0) return { type: 'delete', pods: tooMany.slice(0, maxBurst) };
  const missing = wanted - active.length - (replacesOnlyFailed(job) ? terminating : 0);
  if (missing <= 0) return { type: 'create', indexes: [] };
  const waitMs = hasLimitPerIndex(job) ? 0 : remainingMs(backoff, wallMs);
  if (waitMs > 0) return { type: 'wait', ms: waitMs };
  const count = Math.min(missing, maxBurst);
  if (!isIndexed(job)) return { type: 'create', indexes: Array.from({ length: count }, () => undefined) };
  return nextIndexes(view, count, wallMs);
}

/** Without completions, the first success means that no more pods are made, and those that run may end. */
function wantedActive({ job, active, succeeded }: View): number {
  const { parallelism = 1, completions } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

function nextIndexes({ job, pods, active, indexes }: View, count: number, wallMs: number): Step {
  const ending = replacesOnlyFailed(job) ? pods.filter(isTerminating) : [];
  const settled = union(indexes?.succeeded ?? [], indexes?.failed ?? []);
  const taken = union(settled, takenBy([...active, ...ending]));
  const free = lowestFree(taken, count, job.spec.completions ?? 0);
  if (!hasLimitPerIndex(job)) return { type: 'create', indexes: free };
  const waits = new Map(
    free.map((index) => [index, remainingMsAfter(indexes?.awaitingReplacement.get(index), wallMs)]),
  );
  const ready = free.filter((index) => waits.get(index) === 0);
  if (ready.length > 0 || free.length === 0) return { type: 'create', indexes: ready };
  return { type: 'wait', ms: Math.min(...waits.values()) };
}

/** At least so many, and in an Indexed Job all that share an index with another, or have none that is known. */
function surplus(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const [redundant, others] = isIndexed(job) ? withoutUse(active, job.spec.completions ?? 0) : [[], active];
  const more = Math.max(0, atLeast - redundant.length);
  return [...redundant, ...[...others].sort(bySimpleAge).slice(0, more)];
}

function withoutUse(active: readonly Pod[], completions: number): readonly [readonly Pod[], readonly Pod[]] {
  const redundant: Pod[] = [];
  const kept = new Map<number, Pod>();
  // The most useful pod of an index comes last, and stays.
  for (const pod of [...active].sort(bySimpleAge)) {
    const index = indexOf(pod);
    if (index === undefined || index >= completions) {
      redundant.push(pod);
      continue;
    }
    const other = kept.get(index);
    if (other) redundant.push(other);
    kept.set(index, pod);
  }
  return [redundant, [...kept.values()]];
}
