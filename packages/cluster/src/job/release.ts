/** Takes the finalizer of a pod away, by which its Job kept it until it was counted. */
import type { Client, MergePatch } from '@keelson/client';
import { isNotFound, keyOf } from '@keelson/core';
import { Pod } from '@keelson/core/v1';
import { isTracked, trackingFinalizer } from './pods.ts';

/** A pod that is gone, or has no such finalizer, is released already. */
export async function releasePod(client: Client, pod: Pod): Promise<void> {
  if (!isTracked(pod)) return;
  const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': [trackingFinalizer] } } as MergePatch<Pod>;
  try {
    await client.patch(Pod, keyOf(pod), patch, { type: 'strategic' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
