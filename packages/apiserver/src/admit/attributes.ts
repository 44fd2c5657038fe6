/**
 * What admitters are asked about: one write, as admission reviews and the variables of admission policies name its parts.
 */
import type { ApiObject, JsonObject } from '../object.ts';
import type { User } from '../request/user.ts';
import type { Resource } from '../resource/resource.ts';
import type { Write } from '../resource/write.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Attributes {
  readonly operation: Operation;
  /** As it was asked for; which version of it an admitter wants to see is found out by `matchOf`. */
  readonly resource: Resource;
  readonly subresource: string;
  /** Of the objects: for a subresource such as `scale` not that of its resource. */
  readonly kind: GroupVersionKind;
  /** Of a Namespace its own name; empty for everything else that is in none. */
  readonly namespace: string;
  /** Empty as long as there is none: of an object whose name will be generated, and for the deletion of a collection. */
  readonly name: string;
  /** `undefined` for a deletion; for a connection its options, which have no metadata. */
  readonly object: ApiObject | undefined;
  /** `undefined` for a creation. */
  readonly old: ApiObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: JsonObject | undefined;
  /** Takes what travels with the answer. */
  readonly warnings: string[];
  /** For the plugins, which know no more. */
  readonly write: Write;
}

/** What a write is to admitters; an object that is changed on the way gives new attributes: `{ ...attributes, object }`. */
export function attributesOf(
  write: Write,
  operation: Operation,
  { object, old }: { readonly object: ApiObject | undefined; readonly old: ApiObject | undefined },
): Attributes {
  const { resource, subresource, user, dryRun, warnings } = write;
  const name = write.name || (object?.metadata?.name ?? '');
  return {
    operation,
    resource,
    subresource,
    kind: kindOf(resource, subresource),
    namespace: resource.collection === 'namespaces' ? name : write.namespace,
    name,
    object,
    old,
    user,
    dryRun,
    options: optionsOf(write, operation),
    warnings,
    write,
  };
}

/** The kind of what a subresource takes, or of the resource itself. */
export function kindOf(resource: Resource, subresource: string): GroupVersionKind {
  const { group, version, kind } = resource;
  return resource.subresources.get(subresource)?.kind ?? { group, version, kind };
}

const optionsKinds = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

/** A patch is one of two to admitters, by what becomes of it. */
function optionsOf({ options = {} }: Write, operation: Operation): JsonObject | undefined {
  if (operation === 'CONNECT') return undefined;
  return { kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1', ...options };
}
