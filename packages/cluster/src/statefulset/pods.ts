/** What a StatefulSet sees in its pods: whether they serve, and whether it must wait for them. */
import type { Pod } from '@keelson/core/v1';
import { isAvailable, isReady } from '../replicaset/pods.ts';

export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
export const hasEnded = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';
export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === 'Running' && isReady(pod);

/** It does not serve yet, or will not for long. */
export const isUnavailable = (pod: Pod, minReadySeconds: number, wallMs: number): boolean =>
  !isAvailable(pod, minReadySeconds, wallMs) || isTerminating(pod);
