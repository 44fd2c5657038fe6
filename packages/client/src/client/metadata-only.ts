/**
 * Reading the metadata of objects and nothing else.
 *
 * `metadataOf(kind)` is a kind like any other to the client and to informers, but its objects come without spec, status
 * and data: for watching many objects, or kinds of which nothing is known but their name.
 */
import { apiVersionOf, type Kind, type KubernetesObject } from '@keelson/core';

/** A registered symbol, so that it holds when two copies of this package are loaded. */
const marker = Symbol.for('keelson.metadataOnly');

export function metadataOf(kind: Kind): Kind {
  const { group, version, kind: name, resource, scope } = kind;
  return { group, version, kind: name, resource, scope, [marker]: true } as Kind;
}

export function isMetadataOnly(kind: Kind): boolean {
  return marker in kind;
}

const form = (name: string) => `application/json;as=${name};g=meta.k8s.io;v=v1`;

/** What to accept for an object, or for those in a watch. */
export function objectForm(kind: Kind): string | undefined {
  return isMetadataOnly(kind) ? form('PartialObjectMetadata') : undefined;
}

export function listForm(kind: Kind): string | undefined {
  return isMetadataOnly(kind) ? form('PartialObjectMetadataList') : undefined;
}

/**
 * Says on the object what it is: the server leaves that out of list items, and names another kind where it sends metadata
 * only. The object just came and nobody else has it, so it may be changed.
 */
export function asKind<T extends KubernetesObject>(kind: Kind, object: T): T {
  const fresh = object as { apiVersion?: string; kind?: string };
  if (fresh.kind === undefined || (fresh.kind === 'PartialObjectMetadata' && isMetadataOnly(kind))) {
    fresh.apiVersion = apiVersionOf(kind);
    fresh.kind = kind.kind;
  }
  return object;
}
