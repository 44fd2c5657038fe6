/** The status of a DaemonSet: on how many nodes its pods should be, are, and serve. */
import type { DaemonSet, DaemonSetStatus } from '@keelson/core/apps/v1';
import { isAvailable, isReady } from '../replicaset/pods.ts';
import { eligibilityOf, isUpdated } from './eligible-nodes.ts';
import { byAge, podsByNode, type View } from './plan.ts';

export function statusOf({ set, hash, nodes, pods, wallMs }: View, collisionCount: number): DaemonSetStatus {
  const byNode = podsByNode(pods);
  const oldestOn = (name: string) => [...(byNode.get(name) ?? [])].sort(byAge)[0];
  const [eligible, others] = split(set, nodes);
  const shown = eligible.flatMap(({ metadata }) => oldestOn(metadata.name) ?? []);
  const numberAvailable = shown.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, wallMs)).length;
  const nonZero = Object.entries({
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: shown.filter((pod) => isUpdated(pod, set, hash)).length,
    numberAvailable,
    numberUnavailable: eligible.length - numberAvailable,
    collisionCount,
  }).filter(([, value]) => value !== 0);
  return {
    currentNumberScheduled: shown.length,
    numberMisscheduled: others.filter(({ metadata }) => oldestOn(metadata.name)).length,
    desiredNumberScheduled: eligible.length,
    numberReady: shown.filter(isReady).length,
    ...Object.fromEntries(nonZero),
    ...(set.status.conditions ? { conditions: set.status.conditions } : {}),
  };
}

function split(set: DaemonSet, nodes: View['nodes']): readonly [View['nodes'], View['nodes']] {
  const isEligible = (node: View['nodes'][number]) => eligibilityOf(set, node).shouldRun;
  return [nodes.filter(isEligible), nodes.filter((node) => !isEligible(node))];
}
