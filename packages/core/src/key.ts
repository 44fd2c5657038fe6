/** Keys: how an object of a known kind is named in queues, stores, logs and calls. */
import type { ObjectMeta } from './meta.ts';
import { cut } from './names.ts';

/** `namespace/name`, or `name` alone for a cluster-scoped object. Names cannot contain a slash. */
export type NamespacedName = string;

export function keyOf(object: { readonly metadata: Pick<ObjectMeta, 'namespace' | 'name'> }): NamespacedName {
  const { namespace, name } = object.metadata;
  if (!name) throw new TypeError('keyOf: the object has no metadata.name yet');
  return namespace ? `${namespace}/${name}` : name;
}

export function parseKey(key: NamespacedName): { readonly namespace?: string; readonly name: string } {
  const [first, second, third] = key.split('/', 3);
  if (!first || second === '' || third !== undefined) {
    throw new TypeError(`"${cut(key)}" is not a key: expected "namespace/name", or "name" for a cluster-scoped object`);
  }
  return second === undefined ? { name: first } : { namespace: first, name: second };
}
