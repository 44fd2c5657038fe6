/** Which reconciled objects a change concerns: from watch events to keys. Pure; why a key came is only for the log. */
import type { InformerEvent } from '@keelson/client';
import {
  controllerOf,
  type Kind,
  type KubernetesObject,
  keyOf,
  type MappingContext,
  matchesFields,
  matchesLabels,
  type NamespacedName,
  type NotControlledError,
  type OwnerReference,
  parseFieldSelector,
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

/** The reconciled objects that a watched object concerns, by the selection and the mapping that were declared. */
export function mapperOf(kind: Kind, { labels, fields, namespaces, to }: Watch, context: MappingContext): Mapper {
  const labelled = requirementsOf(labels ?? {});
  const fielded = fields === undefined ? [] : parseFieldSelector(fields);
  // The watch may be one that another part of the declaration needs unselected.
  const isSelected = (object: KubernetesObject) =>
    matchesLabels(labelled, object.metadata.labels) &&
    matchesFields(fielded, object) &&
    (namespaces === undefined || namespaces.includes(object.metadata.namespace ?? ''));
  const keysOf = keysBy(kind, to, context);
  return (object) => (isSelected(object) ? keysOf(object) : []);
}

function keysBy(kind: Kind, to: Watch['to'], context: MappingContext): Mapper {
  if (typeof to === 'function') return (object) => to(object as never, context);
  switch (to.type) {
    case 'label':
      return (object) => keyByLabel(kind, to.label, object);
    case 'owner':
      return (object) => ownerKeys(kind, object);
    default:
      return to satisfies never;
  }
}

/** The reconciled objects that own `object`, controlling it or not. */
function ownerKeys(kind: Kind, { metadata }: KubernetesObject): readonly NamespacedName[] {
  return (metadata.ownerReferences ?? [])
    .filter((reference) => isReferenceTo(kind, reference))
    .map(({ name }) => (kind.scope === 'Namespaced' ? `${metadata.namespace}/${name}` : name));
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
