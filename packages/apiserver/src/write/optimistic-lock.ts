/** Optimistic locking: a write that names a version, or a uid, is about that one and no other. */
import { invalidValue } from '@keelson/schema/validation';
import type { ApiObject } from '../object.ts';
import { keyIn, type Resource } from '../resource/resource.ts';
import type { Preconditions, Write } from '../resource/write.ts';
import { conflict, invalid, kindNamed, modified, resourceNamed, StatusError } from '../status.ts';
import type { Revision } from '../store/revision.ts';

/** An object that names a version must name the current one; `unconditional` lets it name none. */
export function assertCurrentVersion(
  { resource, name }: Write,
  object: ApiObject,
  existing: Revision,
  unconditional: boolean,
): void {
  const { resourceVersion = '' } = object.metadata;
  if (!/^\d*$/.test(resourceVersion)) {
    throw new StatusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
  }
  if (Number(resourceVersion) === 0) {
    if (unconditional || resource.strategy.unconditionalUpdate) return;
    throw invalid(resourceNamed(resource), name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (Number(resourceVersion) !== existing.number) throw modified(resourceNamed(resource), name);
}

/** An update that names a uid is about that object and no other of its name. */
export function assertUid({ resource, namespace, name }: Write, sent: ApiObject, old: ApiObject): void {
  const { uid } = sent.metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw conflict(
    resourceNamed(resource),
    name,
    `StorageError: invalid object, Code: 4, Key: /registry/${resource.collection}/${keyIn(namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
  );
}

/** What a deletion demands of the object. */
export function assertPreconditions(
  resource: Resource,
  { metadata }: ApiObject,
  { uid, resourceVersion }: Preconditions,
): void {
  const name = metadata.name ?? '';
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      kindNamed(resource),
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      kindNamed(resource),
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}
