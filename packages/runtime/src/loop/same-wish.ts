/** Tells what users write of an object from its status, and from what the server counts. */
import { equalJson, type KubernetesObject } from '@keelson/core';

/** Whether two states differ in their status at most. Without a generation, the status is not told from the rest. */
export function isSameWish(before: KubernetesObject, now: KubernetesObject): boolean {
  return now.metadata.generation !== undefined && equalJson(wishIn(now), wishIn(before));
}

function wishIn({ metadata }: KubernetesObject) {
  const { generation, labels, annotations, finalizers, deletionTimestamp } = metadata;
  return { generation, labels, annotations, finalizers, deletionTimestamp };
}
