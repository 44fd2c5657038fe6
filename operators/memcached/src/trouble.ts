/**
 * What keeps servers from running, in Kubernetes' own words where it has some: pure functions from what was observed to a
 * reason and a sentence.
 *
 * A reason stays the same while the trouble does. The kubelet goes to and fro between two words for one failing image,
 * and between waiting and trying for one crashing server; the status must not follow it.
 */
import { isForbidden, isNotControlled, type KubernetesObject } from '@keelson/core';
import type { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import type { ContainerStatus, Pod } from '@keelson/core/v1';

export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

export const isTerminating = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined;

/** Why a rollout will not end by itself. A StatefulSet says nothing about pods that it may not make. */
export function troubleOf({ status }: Deployment | StatefulSet, pods: readonly Pod[]): Trouble | undefined {
  const { conditions = [] } = status;
  const failure = conditions.find(({ type, status }) => type === 'ReplicaFailure' && status === 'True');
  if (failure) {
    const { message = '' } = failure;
    return { reason: refusalOf(message) ?? 'PodsNotCreated', message: `Pods cannot be created: ${message}` };
  }
  for (const pod of [...pods].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const trouble = isTerminating(pod) ? undefined : troubleOfPod(pod);
    if (trouble) return { reason: trouble.reason, message: `Pod ${pod.metadata.name}: ${trouble.message}.` };
  }
  const stalled = conditions.find(({ reason }) => reason === 'ProgressDeadlineExceeded');
  return (
    stalled && { reason: 'ProgressDeadlineExceeded', message: stalled.message ?? 'The rollout does not progress.' }
  );
}

/** What an error means for a person. */
export function troubleOfFailure(error: unknown): Trouble {
  const message = error instanceof Error ? error.message : String(error);
  if (isNotControlled(error)) return { reason: `${error.object.kind}NotControlled`, message };
  if (isForbidden(error)) return { reason: refusalOf(message) ?? 'Forbidden', message };
  return { reason: 'ReconcileFailed', message };
}

/** Admission has one reason for all that it refuses, so that its sentence has to tell them apart. */
function refusalOf(message: string): string | undefined {
  if (message.includes('exceeded quota') || message.includes('failed quota')) return 'QuotaExceeded';
  if (message.includes('is being terminated')) return 'NamespaceTerminating';
  return message.includes('forbidden') ? 'Forbidden' : undefined;
}

function troubleOfPod({ status }: Pod): Trouble | undefined {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') {
    const why = scheduled.message?.replace(/\.$/, '');
    return { reason: 'Unschedulable', message: `it finds no node${why ? `: ${why}` : ''}` };
  }
  for (const container of status.containerStatuses ?? []) {
    const reason = reasonOf(container);
    const message = reason === undefined ? undefined : hopeless[reason];
    if (reason !== undefined && message !== undefined) return { reason, message };
  }
  return undefined;
}

/** A server that has exited before is in trouble until it is ready again, not only while the kubelet waits. */
function reasonOf({ state, lastState, ready, restartCount }: ContainerStatus): string | undefined {
  const exit = state?.terminated ?? (restartCount > 0 ? lastState?.terminated : undefined);
  if (!ready && exit) return exit.reason === 'OOMKilled' ? 'OOMKilled' : 'CrashLoopBackOff';
  const reason = state?.waiting?.reason;
  return reason === 'ErrImagePull' ? 'ImagePullBackOff' : reason;
}

/** Why a container will not start without help; other reasons to wait pass by themselves. */
const hopeless: Readonly<Record<string, string>> = {
  CrashLoopBackOff: 'its server keeps exiting',
  CreateContainerConfigError: 'its container cannot be configured',
  CreateContainerError: 'its container cannot be created',
  ErrImageNeverPull: 'its image is not on the node',
  ImagePullBackOff: 'its image cannot be pulled',
  InvalidImageName: 'its image has an invalid name',
  OOMKilled: 'its server was killed because memory ran out',
  RunContainerError: 'its container cannot be started',
};
