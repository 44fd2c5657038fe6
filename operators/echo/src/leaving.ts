/** Children of an owner that was deleted and made again under its name: the garbage collector takes them. */
import { controllerOf, type Kind, type KubernetesObject } from '@keelson/core';

/** Whether a child is about to go by itself, which wakes its owner's namesake. */
export function isLeaving(child: KubernetesObject, kind: Kind, owner: KubernetesObject): boolean {
  if (child.metadata.deletionTimestamp !== undefined) return true;
  const controller = controllerOf(child);
  return (
    controller?.kind === kind.kind &&
    controller.apiVersion.startsWith(`${kind.group}/`) &&
    controller.name === owner.metadata.name &&
    controller.uid !== owner.metadata.uid
  );
}
