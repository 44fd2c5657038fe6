/** References by name: from what an author's `by` says to the keys of the objects that are meant. */
import type { Kind, KubernetesObject, NamespacedName, Reference, References } from '@keelson/core';

/** The keys under which a reconciled object is indexed, so that those who refer to an object are found by its key. */
export function referenceIndex(
  kind: Kind,
  { to, by }: Reference<never>,
): (object: KubernetesObject) => readonly NamespacedName[] {
  return (object) => {
    const given: References = by(object as never);
    const names = typeof given === 'string' ? [given] : (given ?? []);
    return names.flatMap((name) => (name ? [keyOfReference(kind, to, object, name)] : []));
  };
}

function keyOfReference(kind: Kind, to: Kind, { metadata }: KubernetesObject, name: string): NamespacedName {
  if (to.scope === 'Cluster' || name.includes('/')) return name;
  if (metadata.namespace !== undefined) return `${metadata.namespace}/${name}`;
  throw new TypeError(
    `${kind.kind} ${metadata.name} is cluster-scoped, so it refers to a ${to.kind} by "namespace/name", not by "${name}"`,
  );
}
