/** Request paths: where the API server keeps the objects of a kind. */
import type { ObjectAddress } from '@keelson/core';
import type { CreatableKind } from './client.ts';

/** Where lists are read and objects are created. Without a namespace: everywhere. */
export function collectionPath(kind: CreatableKind, namespace: string | undefined): string {
  if (kind.scope === 'Cluster' && namespace !== undefined) {
    throw new TypeError(`${kind.kind} is cluster-scoped and has no namespace, but was given "${namespace}"`);
  }
  const root =
    kind.group === '' ? `/api/${segment(kind.version)}` : `/apis/${segment(kind.group)}/${segment(kind.version)}`;
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${scope}/${segment(kind.resource)}`;
}

export function objectPath(kind: CreatableKind, { namespace, name }: ObjectAddress, subresource?: string): string {
  const path = `${collectionPath(kind, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${subresource.split('/').map(segment).join('/')}`;
}

/** Dots alone would be taken for a step up, and an empty segment for the collection. */
function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" cannot be part of a request path`);
  return encodeURIComponent(text);
}
