/** A definition that is being deleted lets no new objects come. */

import type { ApiObject } from '../object.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, resourceNamed } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const definitions = 'customresourcedefinitions.apiextensions.k8s.io';

export function assertDefinitionStays({ objects }: AdmissionContext, { resource }: Write, object: ApiObject): void {
  if (!resource.strategy.custom) return;
  const definition = objects.find(definitions, `${resource.resource}.${resource.group}`);
  if (!definition?.metadata.deletionTimestamp) return;
  throw forbidden(
    resourceNamed(resource),
    object.metadata.name ?? '',
    'create not allowed while custom resource definition is terminating',
  );
}
