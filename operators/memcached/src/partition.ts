/**
 * How far a StatefulSet may replace its pods: one ordinal at a time from the highest, each only when those replaced before
 * it serve again. Pure, from the StatefulSet and its pods alone, so that a restart of the operator changes nothing.
 *
 * The StatefulSet's controller replaces pods from the partition upwards. At rest the partition is the size, so that no
 * template, whoever wrote it, reaches a pod before this lets it. Within a rollout it only ever falls.
 * Old pods that are not ready hold nothing up: a new template may be what they need.
 */
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { isTerminating } from './trouble.ts';

/** Ready since when, as the API server writes it down; `undefined` if it is not. */
export function readySince(pod: Pod): number | undefined {
  const ready = pod.status.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True' || isTerminating(pod)) return undefined;
  return Date.parse(ready.lastTransitionTime ?? '') || 0;
}

/** What a rollout does next. */
export type Step =
  /** Every pod has the newest template. */
  | { readonly type: 'rest' }
  /** Kubernetes is at work, and its next change wakes us. */
  | { readonly type: 'watch' }
  /** All that were replaced are ready, and `youngest` will have been so for long enough after a while. */
  | { readonly type: 'wait'; readonly youngest: Pod; readonly forMs: number }
  /** `next` may be replaced, if `youngest`, the last one that became ready of those replaced, is warm. */
  | {
      readonly type: 'replace';
      readonly next: Pod;
      readonly youngest: Pod | undefined;
      readonly waiting: readonly Pod[];
    };

export interface View {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  readonly minReadySeconds: number;
  /** Wall time, by which the API server's stamps are read. */
  readonly now: number;
}

/** The next step of a rollout whose template is applied already. */
export function nextStep({ set, pods, minReadySeconds, now }: View): Step {
  if (!isObserved(set)) return { type: 'watch' };
  const members = membersOf(set, pods);
  const next = members.findLast((pod) => pod !== undefined && isOld(set, pod));
  if (next === undefined) return { type: members.includes(undefined) ? 'watch' : 'rest' };
  if (members.indexOf(next) >= partitionOf(set)) return { type: 'watch' };
  const replaced = members.slice(members.indexOf(next) + 1);
  const since = replaced.map((pod) => pod && readySince(pod));
  if (since.includes(undefined)) return { type: 'watch' };
  const last = Math.max(...since.map((each) => each ?? 0));
  const youngest = replaced[since.indexOf(last)];
  const forMs = last + minReadySeconds * 1000 - now;
  if (youngest !== undefined && forMs > 0) return { type: 'wait', youngest, forMs };
  const waiting = members.filter((pod): pod is Pod => pod !== undefined && isOld(set, pod));
  return { type: 'replace', next, youngest, waiting };
}

export interface Partition {
  readonly size: number;
  /** The StatefulSet as it is; `undefined` if there is none yet. */
  readonly set: StatefulSet | undefined;
  readonly pods: readonly Pod[];
  /** Whether the apply that sets the partition changes the template, too. */
  readonly changesTemplate: boolean;
  /** The ordinal that may be replaced now, if one may. */
  readonly released?: number | undefined;
}

/** The partition to apply. */
export function nextPartition({ size, set, pods, changesTemplate, released }: Partition): number {
  if (set === undefined) return size;
  // Pods that are not there yet come with the new template at once: they have nothing to lose.
  if (changesTemplate) return Math.min(size, set.spec.replicas ?? 1);
  const before = Math.min(partitionOf(set), size);
  if (released !== undefined) return Math.min(before, released);
  return isAtRest(set, pods) ? size : before;
}

/** Whether nothing is left to replace, and Kubernetes has noted that: a pod that dies now comes back as it was. */
function isAtRest(set: StatefulSet, pods: readonly Pod[]): boolean {
  const { currentRevision, updateRevision } = set.status;
  return isObserved(set) && currentRevision === updateRevision && !pods.some((pod) => isOld(set, pod));
}

/** Pods by ordinal, with gaps where one is missing. */
function membersOf(set: StatefulSet, pods: readonly Pod[]): readonly (Pod | undefined)[] {
  const named = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  return Array.from({ length: set.spec.replicas ?? 1 }, (_, ordinal) => named.get(`${set.metadata.name}-${ordinal}`));
}

export const ordinalOf = ({ metadata }: Pod): number => Number(/\d+$/.exec(metadata.name)?.[0] ?? -1);

const partitionOf = ({ spec }: StatefulSet): number => spec.updateStrategy?.rollingUpdate?.partition ?? 0;

const isOld = ({ status }: StatefulSet, { metadata }: Pod): boolean =>
  metadata.labels?.['controller-revision-hash'] !== status.updateRevision;

/** What the status says is about this StatefulSet, not about an older one. */
const isObserved = ({ metadata, status }: StatefulSet): boolean =>
  (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
