/** Which reconciled objects a change concerns: from watch events to keys. Pure; why a key came is only for the log. */
import type { InformerEvent } from '@keelson/client';
import { controllerOf, type Kind, type KubernetesObject, keyOf, type NamespacedName, type Watch } from '@keelson/core';

/** The states of an object that an event speaks of: a change may concern its former owner as well as its new one. */
export function statesOf(event: InformerEvent): readonly KubernetesObject[] {
  return event.type === 'updated' && event.previous !== event.object ? [event.previous, event.object] : [event.object];
}

/** The reconciled object that controls `object`. The owner's version may be another one of the same kind. */
export function controllerKey(kind: Kind, object: KubernetesObject): readonly NamespacedName[] {
  const reference = controllerOf(object);
  if (reference?.kind !== kind.kind) return [];
  const group = reference.apiVersion.includes('/') ? reference.apiVersion.split('/')[0] : '';
  if (group !== kind.group) return [];
  return [kind.scope === 'Namespaced' ? `${object.metadata.namespace}/${reference.name}` : reference.name];
}

/** The reconciled objects that a watched object concerns, by the mapping that was declared. */
export function mappedKeys(kind: Kind, { to }: Watch, object: KubernetesObject): readonly NamespacedName[] {
  if (to.type === 'function') return to.keysOf(object as never);
  const name = object.metadata.labels?.[to.label];
  if (!name) return [];
  const { namespace } = object.metadata;
  return [kind.scope === 'Namespaced' && namespace ? `${namespace}/${name}` : name];
}

/** A line for the log: `Deployment default/cache updated`. */
export function causeOf(event: InformerEvent): string {
  return `${event.object.kind} ${keyOf(event.object)} ${event.type}`;
}
