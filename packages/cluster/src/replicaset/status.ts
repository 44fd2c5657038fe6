/** The status of a ReplicaSet: what its pods add up to, and whether making or deleting them failed. */
import { timestamp } from '@keelson/core';
import type { ReplicaSet, ReplicaSetCondition, ReplicaSetStatus } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { isAvailable, isReady } from './pods.ts';

export interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly message: string;
}

export interface Observation {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  readonly failure: Failure | undefined;
  readonly wallMs: number;
}

export function statusOf(
  replicaSet: ReplicaSet,
  { active, terminating, failure, wallMs }: Observation,
): ReplicaSetStatus {
  const labels = Object.entries(replicaSet.spec.template?.metadata?.labels ?? {});
  const minReadySeconds = replicaSet.spec.minReadySeconds ?? 0;
  const count = (holds: (pod: Pod) => boolean) => active.filter(holds).length;
  const nonZero = Object.entries({
    fullyLabeledReplicas: count(({ metadata }) => labels.every(([name, value]) => metadata.labels?.[name] === value)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, wallMs)),
    observedGeneration: replicaSet.metadata.generation ?? 0,
  }).filter(([, value]) => value !== 0);
  const conditions = conditionsOf(replicaSet.status.conditions ?? [], failure, wallMs);
  return {
    replicas: active.length,
    ...Object.fromEntries(nonZero),
    terminatingReplicas: terminating.length,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** The first failure is reported until there is none. */
function conditionsOf(
  current: readonly ReplicaSetCondition[],
  failure: Failure | undefined,
  wallMs: number,
): readonly ReplicaSetCondition[] {
  const reported = current.find(({ type }) => type === 'ReplicaFailure');
  if (failure && !reported) {
    return [...current, { type: 'ReplicaFailure', status: 'True', lastTransitionTime: timestamp(wallMs), ...failure }];
  }
  return failure ? current : current.filter((each) => each !== reported);
}
