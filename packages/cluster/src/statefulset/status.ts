/** The status of a StatefulSet: what its pods add up to, by revision. */
import type { StatefulSet, StatefulSetStatus } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { isAvailable } from '../replicaset/pods.ts';
import { revisionOf } from './new-pod.ts';
import { replicasOf } from './ordinals.ts';
import { isRunningAndReady, isTerminating } from './pods.ts';

export interface Observation {
  readonly pods: readonly Pod[];
  readonly currentRevision: string;
  readonly updateRevision: string;
  readonly collisionCount: number;
  readonly wallMs: number;
}

export function statusOf(set: StatefulSet, { pods, wallMs, ...seen }: Observation): StatefulSetStatus {
  const { currentRevision, updateRevision, collisionCount } = seen;
  const minReadySeconds = set.spec.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean) => pods.filter(holds).length;
  const has = (revision: string) => (pod: Pod) => !isTerminating(pod) && revisionOf(pod) === revision;
  const replicas = pods.length;
  const readyReplicas = count(isRunningAndReady);
  const updatedReplicas = count(has(updateRevision));
  const wanted = replicasOf(set);
  const isComplete =
    set.spec.updateStrategy?.type === 'RollingUpdate' &&
    [updatedReplicas, readyReplicas, replicas].every((each) => each === wanted);
  const nonZero = Object.entries({
    observedGeneration: set.metadata.generation ?? 0,
    readyReplicas,
    currentReplicas: isComplete ? updatedReplicas : count(has(currentRevision)),
    updatedReplicas,
  }).filter(([, value]) => value !== 0);
  return {
    replicas,
    ...Object.fromEntries(nonZero),
    currentRevision: isComplete ? updateRevision : currentRevision,
    updateRevision,
    collisionCount,
    availableReplicas: count((pod) => isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, wallMs)),
  };
}
