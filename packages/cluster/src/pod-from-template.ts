/** The pod that a workload makes from its template. */
import { controllerReference, type Kind, type ObjectOf } from '@keelson/core';
import type { NewPod, PodTemplateSpec } from '@keelson/core/v1';

export function podFromTemplate<K extends Kind>(
  kind: K,
  owner: ObjectOf<K>,
  { metadata = {}, spec = { containers: [] } }: PodTemplateSpec = {},
): NewPod {
  const { name, namespace } = owner.metadata;
  const { labels, annotations, finalizers } = metadata;
  return {
    metadata: {
      // A name that has no room for the dash goes without; the server cuts it anyway.
      generateName: name.length < 253 ? `${name}-` : name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(kind, owner)],
    },
    spec,
  };
}
