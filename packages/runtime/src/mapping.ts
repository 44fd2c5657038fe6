/** Which reconciled objects a change concerns: from watch events to keys. Pure; why a key came is only for the log. */
import type { InformerEvent } from '@keelson/client';
import {
  controllerOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  matchesLabels,
  type NamespacedName,
  type NotControlledError,
  type OwnerReference,
  requirementsOf,
  type Watch,
} from '@keelson/core';

type Mapper = (object: KubernetesObject) => readonly NamespacedName[];

/**
 * The keys that an event concerns: a change may concern a former owner as well as a new one, so both states are asked.
 * A mapping that throws for one state is reported and still asked for the other.
 */
export function concernedKeys(
  event: InformerEvent,
  map: Mapper,
  onError: (error: unknown) => void,
): readonly NamespacedName[] {
  const isChange = event.type === 'updated' && event.previous !== event.object;
  const states = isChange ? [event.previous, event.object] : [event.object];
  const keys = states.flatMap((state) => {
    try {
      return map(state);
    } catch (error) {
      onError(error);
      return [];
    }
  });
  return [...new Set(keys)];
}

const groupOf = ({ apiVersion }: OwnerReference): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

/** Whether a reference names an object of the kind; its version may be another one of the same kind. */
const isReferenceTo = (kind: Kind, reference: OwnerReference): boolean =>
  reference.kind === kind.kind && groupOf(reference) === kind.group;

/** The reconciled object that controls `object`. */
export function controllerKey(kind: Kind, object: KubernetesObject): readonly NamespacedName[] {
  const reference = controllerOf(object);
  if (reference === undefined || !isReferenceTo(kind, reference)) return [];
  return [kind.scope === 'Namespaced' ? `${object.metadata.namespace}/${reference.name}` : reference.name];
}

/** Whether what is in the way belongs to a deleted object of the same name, and so will go by itself. */
export function isOfFormerSelf(
  { controller }: NotControlledError,
  kind: Kind,
  { metadata }: KubernetesObject,
): boolean {
  if (controller === undefined || !isReferenceTo(kind, controller)) return false;
  return controller.name === metadata.name && controller.uid !== metadata.uid;
}

/** The reconciled objects that a watched object concerns, by the labels and the mapping that were declared. */
export function mapperOf(kind: Kind, { labels, to }: Watch): Mapper {
  const requirements = requirementsOf(labels ?? {});
  const keysOf =
    to.type === 'function' ? (to.keysOf as Mapper) : (object: KubernetesObject) => keyByLabel(kind, to.label, object);
  // The informer may be one that another part of the declaration needs unselected.
  return (object) => (matchesLabels(requirements, object.metadata.labels) ? keysOf(object) : []);
}

function keyByLabel(kind: Kind, label: string, { metadata }: KubernetesObject): readonly NamespacedName[] {
  const name = metadata.labels?.[label];
  if (!name) return [];
  return [kind.scope === 'Namespaced' && metadata.namespace ? `${metadata.namespace}/${name}` : name];
}

/** A line for the log: `Deployment default/cache updated`. */
export function causeOf(event: InformerEvent): string {
  return `${event.object.kind} ${keyOf(event.object)} ${event.type}`;
}
