/**
 * How a workload makes and deletes its pods, with the Events that Kubernetes' controllers have in common.
 *
 * Promises: a pod that is gone already, and a namespace that is going, are no failures; every other failure is said in an
 * Event and thrown.
 */
import type { Client, EventRecorder } from '@keelson/client';
import { isNotFound, type KubernetesObject, keyOf } from '@keelson/core';
import { type NewPod, Pod } from '@keelson/core/v1';
import { isNamespaceTerminating } from './control-loop.ts';
import { reasonOf } from './error-reason.ts';

export interface PodControl {
  /** `undefined` where the namespace is going. */
  create(owner: KubernetesObject, pod: NewPod): Promise<Pod | undefined>;
  delete(owner: KubernetesObject, pod: Pod): Promise<void>;
}

export function podControl(client: Client, recorder: EventRecorder): PodControl {
  const say = (owner: KubernetesObject, type: 'Normal' | 'Warning', reason: string, message: string) =>
    recorder.event(owner, { type, reason, message });
  return {
    async create(owner, pod) {
      // As in Kubernetes, which says it to nobody: such a pod could never be found again.
      if (Object.keys(pod.metadata.labels ?? {}).length === 0) throw new Error('unable to create pods, no labels');
      try {
        const made = await client.create(Pod, pod);
        say(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${made.metadata.name}`);
        return made;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        say(owner, 'Warning', 'FailedCreate', `Error creating: ${reasonOf(error)}`);
        throw error;
      }
    },
    async delete(owner, pod) {
      try {
        await client.delete(Pod, keyOf(pod));
        say(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
      } catch (error) {
        if (isNotFound(error)) return;
        say(owner, 'Warning', 'FailedDelete', `Error deleting: ${reasonOf(error)}`);
        throw error;
      }
    },
  };
}

/** In batches that double, so that what is bound to fail (a quota) fails once and not a hundred times. */
export async function inBatches<T>(items: readonly T[], make: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0, size = 1; from < items.length; from += size, size *= 2) {
    await allOf(items.slice(from, from + size).map(make));
  }
}

/** Waits for all of them, and throws the first failure then. */
export async function allOf(pending: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(pending)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
