/** Whether an object is among those that a list or watch with this selection would show. */
import { type KubernetesObject, matchesFields, matchesLabels, parseFieldSelector, requirementsOf } from '@keelson/core';
import type { Selection } from '../client/client.ts';

export function selectionMatch({ namespace, labels, fields }: Selection): (object: KubernetesObject) => boolean {
  const labelRequirements = labels === undefined ? [] : requirementsOf(labels);
  const fieldRequirements = fields === undefined ? [] : parseFieldSelector(fields);
  return (object) =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    matchesLabels(labelRequirements, object.metadata.labels) &&
    matchesFields(fieldRequirements, object);
}
