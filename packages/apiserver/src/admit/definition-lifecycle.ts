/** A definition that is being deleted lets no new objects come. */

import { collectionName } from '../composition/custom-resources/definition.ts';
import type { ApiObject } from '../object.ts';
import { forbidden, resourceNamed } from '../status.ts';
import type { Call, Context } from '../verbs/context.ts';

export function assertDefinitionStays({ store }: Context, { resource }: Call, object: ApiObject): void {
  if (!resource.strategy.custom) return;
  const definition = store.collection(collectionName).get(`${resource.resource}.${resource.group}`);
  if (!definition?.object.metadata.deletionTimestamp) return;
  throw forbidden(
    resourceNamed(resource),
    object.metadata.name ?? '',
    'create not allowed while custom resource definition is terminating',
  );
}
