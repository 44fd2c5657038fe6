/** An index of objects by who controls them; what has no controller is found by its namespace. */
import type { StoreReader } from '@keelson/client';
import { controllerOf, type KubernetesObject } from '@keelson/core';

const name = 'controller';

const controllerUid = (object: KubernetesObject): readonly string[] => [
  controllerOf(object)?.uid ?? `orphan/${object.metadata.namespace ?? ''}`,
];

/** For an informer's `indexes`. One function for all, so that shared informers can share the index. */
export const controllerIndex = { [name]: controllerUid };

export function controlledBy<T extends KubernetesObject>(store: StoreReader<T>, uid: string): readonly T[] {
  return store.byIndex(name, uid);
}

export function orphansIn<T extends KubernetesObject>(store: StoreReader<T>, namespace: string): readonly T[] {
  return store.byIndex(name, `orphan/${namespace}`);
}
