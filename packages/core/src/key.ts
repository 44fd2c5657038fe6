/** Keys: how an object of a known kind is named in queues, stores, logs and calls. */
import type { Kind } from './kind.ts';
import type { ObjectMeta } from './meta.ts';
import { cut } from './names.ts';

/** `namespace/name`, or `name` alone for a cluster-scoped object. Names cannot contain a slash. */
export type NamespacedName = string;

/** The key of an object that has a name. */
export function keyOf(object: { readonly metadata: Pick<ObjectMeta, 'namespace' | 'name'> }): NamespacedName {
  const { namespace, name } = object.metadata;
  if (!name) throw new TypeError('keyOf: the object has no metadata.name yet');
  return namespace ? `${namespace}/${name}` : name;
}

/** The parts of a key; a TypeError for what is none. */
export function parseKey(key: NamespacedName): { readonly namespace?: string; readonly name: string } {
  const [first, second, third] = key.split('/', 3);
  if (!first || second === '' || third !== undefined) {
    throw new TypeError(`"${cut(key)}" is not a key: expected "namespace/name", or "name" for a cluster-scoped object`);
  }
  return second === undefined ? { name: first } : { namespace: first, name: second };
}

/** Where an object of a kind is; `namespace` is absent for a cluster-scoped one. */
export interface ObjectAddress {
  readonly namespace: string | undefined;
  readonly name: string;
}

/** The parts of a key of this kind; a TypeError for one that does not fit the kind's scope. */
export function addressOf(kind: Pick<Kind, 'kind' | 'scope'>, key: NamespacedName): ObjectAddress {
  const { namespace, name } = parseKey(key);
  if (kind.scope === 'Namespaced' && namespace === undefined) {
    throw new TypeError(`${kind.kind} is namespaced, so its key is "namespace/name", not "${key}"`);
  }
  if (kind.scope === 'Cluster' && namespace !== undefined) {
    throw new TypeError(`${kind.kind} is cluster-scoped, so its key is "name", not "${key}"`);
  }
  return { namespace, name };
}
