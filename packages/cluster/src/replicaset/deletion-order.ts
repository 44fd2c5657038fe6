/**
 * Which pods a ReplicaSet gives up first, by Kubernetes' rules: those that serve least.
 *
 * Ages are compared by their order of magnitude, and within one by uid, so that among pods of about the same age the
 * choice is as good as random.
 */
import type { Pod } from '@keelson/core/v1';
import { isActive, isReady, readySince } from './pods.ts';

/** `related` are the pods of all ReplicaSets of the same Deployment: those that share a node are spread out. */
export function podsToDelete(
  pods: readonly Pod[],
  related: readonly Pod[],
  count: number,
  wallMs: number,
): readonly Pod[] {
  if (count >= pods.length) return pods;
  const neighbours = new Map<string, number>();
  for (const pod of related.filter(isActive)) {
    const node = pod.spec.nodeName ?? '';
    neighbours.set(node, (neighbours.get(node) ?? 0) + 1);
  }
  const rank = (pod: Pod) => neighbours.get(pod.spec.nodeName ?? '') ?? 0;
  return [...pods].sort((a, b) => compare(a, b, rank, wallMs)).slice(0, count);
}

/** The same order without regard to costs, neighbours and orders of magnitude, as Jobs have it: of two, the younger goes. */
export function bySimpleAge(a: Pod, b: Pod): number {
  const younger = (left = Number.POSITIVE_INFINITY, right = Number.POSITIVE_INFINITY) =>
    left === right ? 0 : right - left;
  return (
    byStage(a, b) || younger(readySince(a), readySince(b)) || byRestarts(a, b) || younger(createdAt(a), createdAt(b))
  );
}

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Negative when `a` goes first. */
function compare(a: Pod, b: Pod, rank: (pod: Pod) => number, wallMs: number): number {
  return (
    byStage(a, b) ||
    deletionCost(a) - deletionCost(b) ||
    rank(b) - rank(a) ||
    byTime(readySince(a), readySince(b), a, b, wallMs) ||
    byRestarts(a, b) ||
    byTime(createdAt(a), createdAt(b), a, b, wallMs) ||
    text(a.metadata.name, b.metadata.name)
  );
}

const byStage = (a: Pod, b: Pod): number =>
  Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)) ||
  phaseOf(a) - phaseOf(b) ||
  Number(isReady(a)) - Number(isReady(b));
const byRestarts = (a: Pod, b: Pod): number => restarts(b) - restarts(a) || sidecarRestarts(b) - sidecarRestarts(a);

const phaseOf = ({ status }: Pod): number => phases[status.phase ?? ''] ?? 0;
const createdAt = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp);
const text = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Users may say which pods are cheap to lose. What is not a whole number of 32 bits counts as 0. */
function deletionCost({ metadata }: Pod): number {
  const value = metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'];
  if (value === undefined || !/^(0|-?[1-9]\d*)$/.test(value)) return 0;
  const cost = Number(value);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

/** The younger goes first; no time at all is the youngest. */
function byTime(a: number | undefined, b: number | undefined, podA: Pod, podB: Pod, wallMs: number): number {
  if (a === b) return 0;
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  return magnitude(wallMs - a) - magnitude(wallMs - b) || text(podA.metadata.uid, podB.metadata.uid);
}

/** Of an age in nanoseconds, as Go measures it. */
const magnitude = (ageMs: number): number => (ageMs > 0 ? Math.floor(Math.log2(ageMs * 1e6)) : -1);

const restarts = ({ status }: Pod): number =>
  Math.max(0, ...(status.containerStatuses ?? []).map(({ restartCount }) => restartCount));

function sidecarRestarts({ spec, status }: Pod): number {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const names = new Set(sidecars.map(({ name }) => name));
  const statuses = (status.initContainerStatuses ?? []).filter(({ name }) => names.has(name));
  return Math.max(0, ...statuses.map(({ restartCount }) => restartCount));
}
