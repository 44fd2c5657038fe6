/**
 * What a StatefulSet does next: which pods it makes, repairs and deletes, in which order.
 *
 * Promises: in order, a pod is made when all before it are available, and deleted when all others are and those after it
 * are gone; in parallel, only updates wait. Scaling comes before updating, and an update takes one pod at a time, from the
 * highest ordinal down to the partition. Pure; a plan ends where something must be waited for.
 */
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { isAvailable } from '../replicaset/pods.ts';
import { revisionOf } from './new-pod.ts';
import { firstOrdinal, isInRange, ordinalOf, replicasOf } from './ordinals.ts';
import { hasEnded, isRunningAndReady, isTerminating, isUnavailable } from './pods.ts';

export type Step =
  | { readonly type: 'create'; readonly ordinal: number }
  /** Its identity, its storage and its claims. */
  | { readonly type: 'repair'; readonly pod: Pod }
  /** The claims of a pod that waits, or that will go. */
  | { readonly type: 'claims'; readonly pod: Pod; readonly missing: boolean }
  | { readonly type: 'delete'; readonly pod: Pod; readonly why: 'ended' | 'scale' | 'update' };

/** Stages that are worked through one after the other, each only when the one before has succeeded. */
export type Plan = readonly (readonly Step[])[];

export interface View {
  readonly set: StatefulSet;
  readonly pods: readonly Pod[];
  /** The name of the revision that pods should have. */
  readonly updateRevision: string;
  readonly wallMs: number;
  /** Whether a claim of an earlier pod with this ordinal must go first. */
  readonly isHeldBack: (ordinal: number) => boolean;
}

export const isOrdered = ({ spec }: StatefulSet): boolean => spec.podManagementPolicy !== 'Parallel';

export function planOf(view: View): Plan {
  const { set } = view;
  if (set.metadata.deletionTimestamp !== undefined) return [];
  const { replicas, condemned } = sortOut(set, view.pods);
  const living = isOrdered(set) ? inOrder(view, replicas) : atOnce(view, replicas);
  if (living.mustWait) return [living.steps];
  const claims = condemned.map((pod): Step => ({ type: 'claims', pod, missing: false }));
  const going = scaleDown(view, replicas, condemned);
  if (going.mustWait) return [living.steps, claims, going.steps];
  return [living.steps, claims, going.steps, updates(view, replicas)];
}

/** By place in the range, with gaps where a pod is missing; and those beyond the range, highest first. */
function sortOut(
  set: StatefulSet,
  pods: readonly Pod[],
): { readonly replicas: readonly (Pod | undefined)[]; readonly condemned: readonly Pod[] } {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const first = firstOrdinal(set);
  return {
    replicas: Array.from({ length: replicasOf(set) }, (_, index) => byOrdinal.get(first + index)),
    condemned: [...byOrdinal]
      .filter(([ordinal]) => ordinal >= 0 && !isInRange(set, ordinal))
      .sort(([a], [b]) => b - a)
      .map(([, pod]) => pod),
  };
}

interface Stage {
  readonly steps: readonly Step[];
  readonly mustWait: boolean;
}

function inOrder(view: View, replicas: readonly (Pod | undefined)[]): Stage {
  const steps: Step[] = [];
  for (const [index, pod] of replicas.entries()) {
    const own = stepsFor(view, pod, firstOrdinal(view.set) + index);
    steps.push(...own);
    if (!pod || hasEnded(pod) || isTerminating(pod) || !isServing(view, pod)) return { steps, mustWait: true };
  }
  return { steps, mustWait: false };
}

/** A pod that has ended, or whose claim must go first, does not hold up the others, and neither does any other. */
function atOnce(view: View, replicas: readonly (Pod | undefined)[]): Stage {
  const steps = replicas.flatMap((pod, index) => stepsFor(view, pod, firstOrdinal(view.set) + index));
  return { steps, mustWait: false };
}

function stepsFor(view: View, pod: Pod | undefined, ordinal: number): readonly Step[] {
  if (!pod) return view.isHeldBack(ordinal) ? [] : [{ type: 'create', ordinal }];
  if (hasEnded(pod)) return isTerminating(pod) ? [] : [{ type: 'delete', pod, why: 'ended' }];
  const claims: readonly Step[] = pod.status.phase === 'Pending' ? [{ type: 'claims', pod, missing: true }] : [];
  if (isOrdered(view.set) && (isTerminating(pod) || !isServing(view, pod))) return claims;
  return [...claims, { type: 'repair', pod }];
}

const isServing = ({ set, wallMs }: View, pod: Pod): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, set.spec.minReadySeconds ?? 0, wallMs);

function scaleDown(view: View, replicas: readonly (Pod | undefined)[], condemned: readonly Pod[]): Stage {
  const { set } = view;
  const toDelete = (pods: readonly Pod[]) => pods.map((pod): Step => ({ type: 'delete', pod, why: 'scale' }));
  if (!isOrdered(set)) return { steps: toDelete(condemned.filter((pod) => !isTerminating(pod))), mustWait: false };
  const [last] = condemned;
  if (!last) return { steps: [], mustWait: false };
  const firstUnavailable = [...replicas, ...condemned.toReversed()].find(
    (pod) => !pod || isUnavailable(pod, set.spec.minReadySeconds ?? 0, view.wallMs),
  );
  const mayGo = !isTerminating(last) && (isServing(view, last) || last === firstUnavailable);
  return { steps: mayGo ? toDelete([last]) : [], mustWait: true };
}

function updates({ set, updateRevision, wallMs }: View, replicas: readonly (Pod | undefined)[]): readonly Step[] {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  for (const pod of replicas.slice(rollingUpdate?.partition ?? 0).toReversed()) {
    if (!pod) return []; // it is being made, and comes first
    if (revisionOf(pod) !== updateRevision && !isTerminating(pod)) return [{ type: 'delete', pod, why: 'update' }];
    if (isUnavailable(pod, set.spec.minReadySeconds ?? 0, wallMs)) return [];
  }
  return [];
}
