/** The forms in which a server sends metadata alone, and what an object that came says it is. */
import { apiVersionOf, isMetadataOnly, type Kind, type KubernetesObject } from '@keelson/core';

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
 * only. The object just came and no other code has it, so it may be changed.
 */
export function asKind<T extends KubernetesObject>(kind: Kind, object: T): T {
  const fresh = object as { apiVersion?: string; kind?: string };
  if (fresh.kind === undefined || (fresh.kind === 'PartialObjectMetadata' && isMetadataOnly(kind))) {
    fresh.apiVersion = apiVersionOf(kind);
    fresh.kind = kind.kind;
  }
  return object;
}
