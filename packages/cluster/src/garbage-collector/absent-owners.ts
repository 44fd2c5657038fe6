/** Owners that are known to be gone, so that a hundred dependents of one owner do not ask a hundred times. */
import type { OwnerReference } from '@keelson/core';
import type { Identity } from './identity.ts';

const maxSize = 500;

export class AbsentOwners {
  readonly #ids = new Set<string>();

  add({ namespace, ...reference }: Identity): void {
    const id = idOf(reference, namespace);
    this.#ids.delete(id);
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > maxSize && oldest !== undefined) this.#ids.delete(oldest);
  }

  /** Whether the owner that something in `namespace` refers to is gone, be it cluster-scoped or in that namespace. */
  has(reference: Omit<OwnerReference, 'controller' | 'blockOwnerDeletion'>, namespace: string): boolean {
    return this.#ids.has(idOf(reference, '')) || this.#ids.has(idOf(reference, namespace));
  }
}

function idOf({ apiVersion, kind, name, uid }: Omit<Identity, 'namespace'>, namespace: string): string {
  return JSON.stringify([apiVersion, kind, namespace, name, uid]);
}
