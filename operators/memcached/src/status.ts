/**
 * What to report about a Memcached: pure functions from what was observed to status and Events.
 *
 * Available says whether every server that was asked for is ready; Progressing, whether the operator is still getting
 * there by itself; Degraded, whether something keeps it from getting there and a person should look.
 */
import { type ConditionInput, isNotControlled, type KubernetesObject } from '@keelson/core';
import type { Deployment } from '@keelson/core/apps/v1';
import type { ContainerStatus, Pod } from '@keelson/core/v1';
import type { Memcached, MemcachedStatus } from './api/v1alpha1.ts';

type Type = 'Available' | 'Progressing' | 'Degraded';

const condition = <T extends Type>(
  type: T,
  status: ConditionInput['status'],
  reason: string,
  message: string,
): ConditionInput<T> => ({ type, status, reason, message });

/** The status after a pass in which the Deployment could be applied. */
export function statusOf(memcached: Memcached, deployment: Deployment, pods: readonly Pod[]): MemcachedStatus {
  const { size } = memcached.spec;
  const { status } = deployment;
  // Counts that speak of an older Deployment say nothing about this one; the pods themselves do.
  const isCurrent = (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0);
  const ready = isCurrent
    ? Math.min(status.readyReplicas ?? 0, status.updatedReplicas ?? 0)
    : pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const isAvailable = isCurrent && ready >= size;
  const isRolledOut = isAvailable && (status.replicas ?? 0) === size;
  const trouble = isRolledOut ? undefined : troubleOf(deployment, pods);
  const count = `${Math.min(ready, size)} of ${size} ${size === 1 ? 'server is' : 'servers are'} ready.`;
  return {
    nodes: runningPods(pods),
    conditions: [
      isAvailable
        ? condition('Available', 'True', 'AllServersReady', count)
        : condition('Available', 'False', 'ServersNotReady', count),
      isRolledOut
        ? condition('Progressing', 'False', 'RolledOut', 'Every server runs as specified.')
        : condition('Progressing', trouble ? 'False' : 'True', trouble ? 'Stuck' : 'RollingOut', count),
      trouble
        ? condition('Degraded', 'True', trouble.reason, trouble.message)
        : condition('Degraded', 'False', 'AsExpected', 'Nothing is in the way.'),
    ],
  };
}

/** The status after a pass that failed: what was known stays, and Degraded says what is in the way. */
export function statusOfFailure(memcached: Memcached, error: unknown): MemcachedStatus {
  const { nodes = [], conditions = [] } = memcached.status ?? {};
  const kept = (type: 'Available' | 'Progressing'): ConditionInput<typeof type> => {
    const previous = conditions.find((each) => each.type === type);
    // What held for an older generation is not known to hold for this one.
    if (previous === undefined || previous.observedGeneration !== memcached.metadata.generation) {
      return condition(type, 'Unknown', 'ReconcileFailed', 'Nothing is known about this generation yet.');
    }
    return condition(type, previous.status, previous.reason, previous.message);
  };
  return withFailure({ nodes, conditions: [kept('Available'), kept('Progressing')] }, error);
}

/** What was seen, with the error as what a person should look at. */
export function withFailure({ conditions = [], ...seen }: MemcachedStatus, error: unknown): MemcachedStatus {
  const reason = isNotControlled(error) ? `${error.object.kind}NotControlled` : 'ReconcileFailed';
  const message = error instanceof Error ? error.message : String(error);
  const others = conditions.filter(({ type }) => type !== 'Degraded');
  return { ...seen, conditions: [...others, condition('Degraded', 'True', reason, message)] };
}

export interface StatusEvent {
  readonly type: 'normal' | 'warning';
  readonly reason: string;
  readonly message: string;
}

/** What a user should be told when the status changes from what the Memcached has to `next`. */
export function eventsOf(memcached: Memcached, next: MemcachedStatus): readonly StatusEvent[] {
  return (next.conditions ?? []).flatMap(({ type, status, reason, message }) => {
    const previous = memcached.status?.conditions?.find((each) => each.type === type);
    const isNews = previous?.status !== status || previous.reason !== reason;
    if (!isNews || type === 'Progressing') return [];
    if (status === 'True') return [{ type: type === 'Degraded' ? 'warning' : 'normal', reason, message }];
    if (type === 'Degraded' && previous?.status === 'True') return [{ type: 'normal', reason: 'Recovered', message }];
    return [];
  });
}

/** Names of the pods in which a server runs. A pod that is being deleted still runs, but no longer counts. */
function runningPods(pods: readonly Pod[]): readonly string[] {
  return pods
    .filter((pod) => pod.status.phase === 'Running' && !isTerminating(pod))
    .map((pod) => pod.metadata.name)
    .sort();
}

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;

const isTerminating = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;

/** Why a container that waits will not start without help; other reasons to wait pass by themselves. */
const hopeless: Readonly<Record<string, string>> = {
  CrashLoopBackOff: 'its server keeps exiting',
  CreateContainerConfigError: 'its container cannot be configured',
  CreateContainerError: 'its container cannot be created',
  ErrImageNeverPull: 'its image is not on the node',
  ErrImagePull: 'its image cannot be pulled',
  ImagePullBackOff: 'its image cannot be pulled',
  InvalidImageName: 'its image has an invalid name',
  RunContainerError: 'its container cannot be started',
};

function troubleOf(deployment: Deployment, pods: readonly Pod[]): { reason: string; message: string } | undefined {
  const conditions = deployment.status.conditions ?? [];
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure) return { reason: 'PodsNotCreated', message: `Pods cannot be created: ${failure.message ?? ''}` };
  for (const pod of [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const why = isTerminating(pod) ? undefined : pod.status.containerStatuses?.map(troubleOfContainer).find(Boolean);
    if (why !== undefined) return { reason: 'ServerNotStarting', message: `Pod ${pod.metadata.name}: ${why}.` };
  }
  const stalled = conditions.find(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
  if (stalled)
    return { reason: 'ProgressDeadlineExceeded', message: stalled.message ?? 'The rollout does not progress.' };
  return undefined;
}

/** A server that has exited before is in trouble until it is ready again, not only while the kubelet waits. */
function troubleOfContainer({ state, lastState, ready, restartCount }: ContainerStatus): string | undefined {
  if (!ready && restartCount > 0 && lastState?.terminated) return hopeless.CrashLoopBackOff;
  return hopeless[state?.waiting?.reason ?? ''];
}
