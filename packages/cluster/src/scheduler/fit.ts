/**
 * Which node a pod may run on, by what it demands of a node: selector, affinity, and what it tolerates.
 *
 * Does not look at resources, at other pods or at volumes: a simulated node has room for everything.
 */
import type { Requirement } from '@keelson/core';
import { matchesLabels } from '@keelson/core';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from '@keelson/core/v1';

/** Why a pod may not run on a node, in the scheduler's words; `undefined` when it may. */
export function misfitOf(pod: Pod, node: Node): string | undefined {
  if (!isReady(node)) return 'node(s) were not ready';
  const isTolerated = (taint: Taint) => (pod.spec.tolerations ?? []).some((each) => tolerates(each, taint));
  if (node.spec.unschedulable && !isTolerated(unschedulable)) return 'node(s) were unschedulable';
  const untolerated = node.spec.taints?.find((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(taint));
  if (untolerated) return `node(s) had untolerated taint {${untolerated.key}: ${untolerated.value ?? ''}}`;
  return matchesAffinity(pod.spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

const unschedulable: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

const isReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

export function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (!key) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

export function matchesAffinity(spec: Pod['spec'], node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(spec.nodeSelector ?? {}).every(([name, value]) => labels[name] === value);
  const { nodeSelectorTerms } = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  return isSelected && (!nodeSelectorTerms || nodeSelectorTerms.some((term) => matchesTerm(term, node)));
}

/** A term without requirements matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((each) => matches(each, metadata.labels ?? {})) &&
    matchFields.every((each) => matches(each, { 'metadata.name': metadata.name }))
  );
}

function matches(requirement: NodeSelectorRequirement, labels: Readonly<Record<string, string>>): boolean {
  const { key, operator, values = [] } = requirement;
  if (operator !== 'Gt' && operator !== 'Lt') return matchesLabels([{ key, operator, values } as Requirement], labels);
  const [bound] = values;
  const value = labels[key];
  if (value === undefined || bound === undefined || !/^-?\d+$/.test(value)) return false;
  return operator === 'Gt' ? Number(value) > Number(bound) : Number(value) < Number(bound);
}

/** Of the nodes that fit, the one with the fewest pods; the name decides between equals. */
export function chooseNode(
  pod: Pod,
  nodes: readonly Node[],
  podsOn: (node: string) => number,
): { readonly node: string } | { readonly misfits: readonly string[] } {
  const misfits = nodes.flatMap((node) => misfitOf(pod, node) ?? []);
  const [best] = nodes
    .filter((node) => misfitOf(pod, node) === undefined)
    .map(({ metadata: { name } }) => ({ name, pods: podsOn(name) }))
    .sort((a, b) => a.pods - b.pods || (a.name < b.name ? -1 : 1));
  return best ? { node: best.name } : { misfits };
}

/**
 * `0/2 nodes are available: 1 node(s) were not ready, 1 node(s) were unschedulable. …`, and that other pods on them are not
 * in the way: nothing of what is looked at here would be mended by removing some.
 */
export function unschedulableMessage(nodes: number, misfits: readonly string[]): string {
  if (nodes === 0) return 'no nodes available to schedule pods';
  const counts = new Map<string, number>();
  for (const misfit of misfits) counts.set(misfit, (counts.get(misfit) ?? 0) + 1);
  const reasons = [...counts].map(([misfit, count]) => `${count} ${misfit}`).sort();
  const available = `0/${nodes} nodes are available: `;
  const preemption = `preemption: ${available}${nodes} Preemption is not helpful for scheduling.`;
  return `${available}${reasons.join(', ')}. no new claims to deallocate, ${preemption}`;
}
