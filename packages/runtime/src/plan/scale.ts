/** The scale of an object: the view through which its number of replicas is read and written, whatever its kind. Pure. */
import type { JsonObject, KubernetesObject } from '@keelson/core';

/** What the object, or its scale, asks for; none is zero, as on the server. */
export function replicasOf(object: unknown): number {
  return (object as { readonly spec?: { readonly replicas?: number } } | undefined)?.spec?.replicas ?? 0;
}

export function withReplicas(object: KubernetesObject, replicas: number): JsonObject {
  const { spec } = object as KubernetesObject & { readonly spec?: JsonObject };
  return { ...object, spec: { ...spec, replicas } };
}

/** The scale of `object`; how many there are is known to the server alone, which said it in `shown`. */
export function scaleOf(object: KubernetesObject, shown: KubernetesObject | undefined): KubernetesObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    status: { replicas: 0 },
    ...shown,
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: replicasOf(object) },
  } as KubernetesObject;
}
