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
  const references = referencesTo(dependent.owners, owner.uid);
  return references.length > 0 && references.every((reference) => isNamed(reference, owner));
}

const indexes = new WeakMap<readonly OwnerReference[], Map<string, OwnerReference[]>>();

/** The references to one owner, at the same price however many there are: each of ten thousand is asked about. */
export function referencesTo(owners: readonly OwnerReference[], uid: string): readonly OwnerReference[] {
  let index = indexes.get(owners);
  if (index === undefined) {
    index = new Map();
    for (const owner of owners) {
      const same = index.get(owner.uid);
      if (same === undefined) index.set(owner.uid, [owner]);
      else same.push(owner);
    }
    indexes.set(owners, index);
  }
  return index.get(uid) ?? [];
}

function isNamed(a: Omit<Identity, 'namespace'>, b: Omit<Identity, 'namespace'>): boolean {
  return a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
}

export function printIdentity({ apiVersion, kind, namespace, name, uid }: Identity): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}
