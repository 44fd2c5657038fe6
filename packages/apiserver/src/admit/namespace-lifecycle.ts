/** Nothing is created in a namespace that does not exist or is ending, and some namespaces never end. */

import { type ApiObject, at } from '../object.ts';
import type { Write } from '../resource/write.ts';
import { forbidden, notFound, resourceNamed } from '../status.ts';
import type { AdmissionContext } from './admission.ts';

const immortal = new Set(['default', 'kube-system', 'kube-public']);

export function assertNamespaceLives(
  { objects }: AdmissionContext,
  { resource, namespace }: Write,
  object: ApiObject,
): void {
  if (!resource.namespaced || namespace === '') return;
  const found = objects.find('namespaces', namespace);
  if (found === undefined) throw notFound({ group: '', name: 'namespaces' }, namespace);
  if (at(found, 'status', 'phase') !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resourceNamed(resource), object.metadata.name ?? '', why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

export function assertNamespaceMayGo({ resource, name }: Write): void {
  if (resource.collection !== 'namespaces' || !immortal.has(name)) return;
  throw forbidden(resourceNamed(resource), name, 'this namespace may not be deleted');
}
