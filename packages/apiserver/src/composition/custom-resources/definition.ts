/** CustomResourceDefinitions as values: what is asked of them everywhere. */
import type { CustomResourceDefinition, CustomResourceDefinitionVersion } from '@keelson/core/apiextensions/v1';
import { type ApiObject, type JsonObject, readAs } from '../../object.ts';

export type Definition = CustomResourceDefinition;
export type DefinitionVersion = CustomResourceDefinitionVersion;

export const collectionName = 'customresourcedefinitions.apiextensions.k8s.io';

/** On a definition that is being deleted, until the last of its objects is gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

export const asDefinition = (object: ApiObject): Definition => readAs<Definition>(object);

export function isConditionTrue({ status }: Definition, type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
}

export const storageVersion = ({ spec }: Definition): DefinitionVersion | undefined =>
  versionsOf(spec).find(({ storage }) => storage);

/** A definition that is still to be judged may have none. */
export const versionsOf = ({ versions }: Definition['spec']): readonly DefinitionVersion[] => versions ?? [];

export interface ConditionChange {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The definition with a condition, whose time changes only when its status does. */
export function withCondition(
  object: ApiObject,
  now: string,
  { type, status, reason, message }: ConditionChange,
): ApiObject {
  const before = (object.status ?? {}) as JsonObject;
  const conditions = [...((before.conditions ?? []) as readonly JsonObject[])];
  const index = conditions.findIndex((each) => each.type === type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
  const after: JsonObject = { type, status, lastTransitionTime, reason, message };
  if (index === -1) conditions.push(after);
  else conditions[index] = after;
  return { ...object, status: { ...before, conditions } };
}
