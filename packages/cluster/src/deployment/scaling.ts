/**
 * Scaling: which ReplicaSets of a Deployment change their size next.
 *
 * Promises: no step lets all sizes together exceed `spec.replicas` plus surge, or takes an available pod away when that
 * would leave fewer than `spec.replicas` less the allowed unavailable ones.
 */
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import { desiredReplicasOf, maxReplicasOf, sizeAnnotations } from './annotations.ts';
import { boundsOf, isRollingUpdate, replicasOf } from './bounds.ts';
import { allOf, byAge, isActive, type ReplicaSets } from './replica-sets.ts';

export interface Scale {
  readonly replicaSet: ReplicaSet;
  readonly replicas: number;
}

/** Not more than its size: the status may still count pods that are on their way out. */
const available = (replicaSet: ReplicaSet): number =>
  Math.min(replicaSet.status.availableReplicas ?? 0, replicasOf(replicaSet));
const total = (replicaSets: readonly ReplicaSet[], of: (replicaSet: ReplicaSet) => number): number =>
  replicaSets.reduce((sum, each) => sum + of(each), 0);

/** How many replicas the newest ReplicaSet may have now. `current` is 0 for one that does not exist yet. */
export function newestReplicas(deployment: Deployment, old: readonly ReplicaSet[], current: number): number {
  const desired = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || current > desired) return desired;
  const room = desired + boundsOf(deployment).surge - total(old, replicasOf) - current;
  return room <= 0 ? current : current + Math.min(room, desired - current);
}

/** The next step of a rolling update: the new one grows, or else old ones shrink; nothing when neither may. */
export function rollingStep(deployment: Deployment, newest: ReplicaSet, old: readonly ReplicaSet[]): readonly Scale[] {
  const replicas = newestReplicas(deployment, old, replicasOf(newest));
  if (replicas !== replicasOf(newest)) return [{ replicaSet: newest, replicas }];
  return shrinkOld(deployment, newest, old.filter(isActive));
}

function shrinkOld(deployment: Deployment, newest: ReplicaSet, active: readonly ReplicaSet[]): readonly Scale[] {
  const minAvailable = replicasOf(deployment) - boundsOf(deployment).unavailable;
  const newUnavailable = replicasOf(newest) - available(newest);
  const room = total([...active, newest], replicasOf) - minAvailable - newUnavailable;
  if (active.length === 0 || room <= 0) return [];
  const sizes = new Map<ReplicaSet, number>();
  // Pods that are not available go first: taking them away costs nothing, and they would block the rollout for ever.
  let unhealthyLeft = room;
  for (const each of active) {
    const removed = Math.min(unhealthyLeft, replicasOf(each) - available(each));
    sizes.set(each, replicasOf(each) - removed);
    unhealthyLeft -= removed;
  }
  let healthyLeft = Math.max(0, total([...active, newest], available) - minAvailable);
  for (const each of active) {
    const size = sizes.get(each) ?? 0;
    const removed = Math.min(healthyLeft, size);
    sizes.set(each, size - removed);
    healthyLeft -= removed;
  }
  return active
    .map((replicaSet) => ({ replicaSet, replicas: sizes.get(replicaSet) ?? 0 }))
    .filter(({ replicaSet, replicas }) => replicas !== replicasOf(replicaSet));
}

/** Whether `spec.replicas` changed since the ReplicaSets were last scaled. */
export function isScalingEvent(deployment: Deployment, replicaSets: ReplicaSets): boolean {
  return allOf(replicaSets)
    .filter(isActive)
    .map(desiredReplicasOf)
    .some((desired) => desired !== undefined && desired !== replicasOf(deployment));
}

/**
 * Follows a new `spec.replicas` in the middle of a rollout, or while it is paused: in proportion, so that the mixture of
 * old and new stays as it is. Includes ReplicaSets whose size stays and whose notes about it do not.
 */
export function proportionalStep(deployment: Deployment, replicaSets: ReplicaSets): readonly Scale[] {
  const { newest, old } = replicaSets;
  const desired = replicasOf(deployment);
  const active = allOf(replicaSets).filter(isActive);
  const [only = newest ?? old.at(-1)] = active;
  if (active.length <= 1) {
    return only && replicasOf(only) !== desired ? [{ replicaSet: only, replicas: desired }] : [];
  }
  if (newest && isSaturated(deployment, newest)) {
    return old.filter(isActive).map((replicaSet) => ({ replicaSet, replicas: 0 }));
  }
  if (!isRollingUpdate(deployment)) return [];
  const allowed = desired > 0 ? desired + boundsOf(deployment).surge : 0;
  const toAdd = allowed - total(active, replicasOf);
  const sorted = active.sort((a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  let added = 0;
  const sizes = sorted.map((replicaSet) => {
    const part = proportion(deployment, replicaSet, toAdd, added);
    added += part;
    return replicasOf(replicaSet) + part;
  });
  // What rounding left over goes to the largest.
  if (sizes[0] !== undefined) sizes[0] = Math.max(0, sizes[0] + toAdd - added);
  return sorted
    .map((replicaSet, i) => ({ replicaSet, replicas: sizes[i] ?? 0 }))
    .filter(({ replicaSet, replicas }) => replicas !== replicasOf(replicaSet) || !isNoted(deployment, replicaSet));
}

/** The share of one ReplicaSet in `toAdd` (which is negative when replicas are to go). */
function proportion(deployment: Deployment, replicaSet: ReplicaSet, toAdd: number, added: number): number {
  if (toAdd === 0 || toAdd === added) return 0;
  const share = growth(deployment, replicaSet);
  const left = toAdd - added;
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

function growth(deployment: Deployment, replicaSet: ReplicaSet): number {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const max = replicasOf(deployment) + boundsOf(deployment).surge;
  const maxBefore = maxReplicasOf(replicaSet) || deployment.status.replicas || 0;
  return maxBefore === 0 ? 0 : Math.round((size * max) / maxBefore) - size;
}

function isSaturated(deployment: Deployment, newest: ReplicaSet): boolean {
  const desired = replicasOf(deployment);
  return replicasOf(newest) === desired && desiredReplicasOf(newest) === desired && available(newest) === desired;
}

function isNoted(deployment: Deployment, { metadata }: ReplicaSet): boolean {
  return Object.entries(sizeAnnotations(deployment)).every(([name, value]) => metadata.annotations?.[name] === value);
}

/** A ReplicaSet as it is to be after scaling. */
export function scaled(deployment: Deployment, { replicaSet, replicas }: Scale): ReplicaSet {
  const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) };
  return { ...replicaSet, metadata: { ...replicaSet.metadata, annotations }, spec: { ...replicaSet.spec, replicas } };
}
