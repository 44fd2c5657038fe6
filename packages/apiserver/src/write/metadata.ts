/** What the server alone decides in an object's metadata. */
import type { OwnerReference } from '@keelson/core';
import { type ApiObject, withMetadata } from '../object.ts';
import type { Write } from '../resource/write.ts';
import { badRequest } from '../status.ts';

/** Takes out what a creator may not say. */
export const withoutSystemFields = (object: ApiObject): ApiObject =>
  withMetadata(object, {
    creationTimestamp: undefined,
    uid: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });

/** The object in the namespace of the request; an object that says another one is refused. */
export function inNamespace(object: ApiObject, namespace: string): ApiObject {
  const own = object.metadata.namespace ?? '';
  if (own === namespace) return own === '' ? withMetadata(object, { namespace: undefined }) : object;
  if (own === '') return withMetadata(object, { namespace });
  if (namespace === '') return withMetadata(object, { namespace: undefined });
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** An object of an update must have the name of its path. */
export function assertName(object: ApiObject, name: string): void {
  const own = object.metadata.name ?? '';
  if (own === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}

/** What admitters made of an object must still be where it was, and is looked through once more. */
export const afterMutation = ({ namespace, warnings }: Write, object: ApiObject): ApiObject =>
  withDistinctOwners(inNamespace(object, namespace), warnings, ' after mutating admission happens');

/** Without owners that are named twice, which are remarked on. */
export function withDistinctOwners(object: ApiObject, warnings: string[], when = ''): ApiObject {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return object;
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  const distinct: OwnerReference[] = [];
  for (const owner of owners) {
    const text = JSON.stringify(owner);
    if (seen.has(text)) duplicates.add(owner.uid);
    else distinct.push(owner);
    seen.add(text);
  }
  if (duplicates.size === 0) return object;
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(', ')}`,
  );
  return withMetadata(object, { ownerReferences: distinct });
}

/** The manager of a request that does not name one: what stands before the slash in its user agent. */
export function managerOf(fieldManager: string, userAgent: string | undefined): string {
  if (fieldManager !== '') return fieldManager;
  const printable = [...((userAgent ?? '').split('/')[0] ?? '')].filter(
    (each) => each === ' ' || !/[\p{C}\p{Z}]/u.test(each),
  );
  let name = '';
  for (const character of printable) {
    if (Buffer.byteLength(name + character) > 128) break;
    name += character;
  }
  return name;
}
