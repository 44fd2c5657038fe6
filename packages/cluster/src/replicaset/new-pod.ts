/** The pod that a ReplicaSet makes from its template. */
import { controllerReference } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import type { NewPod } from '@keelson/core/v1';

export function newPod(replicaSet: ReplicaSet): NewPod {
  const { name, namespace } = replicaSet.metadata;
  const { metadata = {}, spec } = replicaSet.spec.template ?? {};
  const { labels, annotations, finalizers } = metadata;
  return {
    metadata: {
      // A name that has no room for the dash goes without; the server cuts it anyway.
      generateName: name.length < 253 ? `${name}-` : name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(ReplicaSet, replicaSet)],
    },
    spec: spec ?? { containers: [] },
  };
}
