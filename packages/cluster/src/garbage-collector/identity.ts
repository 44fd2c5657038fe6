/** Who an object is: by uid alone it is unique, by the rest it is found. */
import type { OwnerReference } from '@keelson/core';

export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for a cluster-scoped object. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export function isSameIdentity(a: Identity, b: Identity): boolean {
  return a.namespace === b.namespace && isNamed(a, b);
}

/** Whether all that a dependent says about the owner with this uid is right; an owner is in the same namespace, or none. */
export function refersTo(
  dependent: { readonly identity: Identity; readonly owners: readonly OwnerReference[] },
  owner: Identity,
): boolean {
  if (owner.namespace !== '' && owner.namespace !== dependent.identity.namespace) return false;
  const references = dependent.owners.filter(({ uid }) => uid === owner.uid);
  return references.length > 0 && references.every((reference) => isNamed(reference, owner));
}

function isNamed(a: Omit<Identity, 'namespace'>, b: Omit<Identity, 'namespace'>): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function printIdentity({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
