/**
 * Kinds: what an object is to the API server (group, version, kind, resource path) and to the type system.
 *
 * A kind is a plain value. Its object types, as read and as written, travel with it as types only.
 */
import type { JsonObject } from './json-object.ts';
import type { NewObjectMeta, StoredObjectMeta } from './meta.ts';

/** Any object as the API server returns it. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredObjectMeta;
}

/** Any object as a client sends it; the kind it is sent as supplies `apiVersion` and `kind`. */
export interface NewKubernetesObject {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata: NewObjectMeta;
}

declare const objectTypes: unique symbol;

/** A kind whose objects the server answers and does not keep, such as a SubjectAccessReview; nothing can list or own it. */
export interface VirtualKind<Read = unknown, Written = unknown> {
  /** API group; empty for the legacy group of Pod and Service. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Carries the object types; never present at run time. */
  readonly [objectTypes]?: { readonly read: Read; readonly written: Written } | undefined;
}

/** A kind whose objects the server keeps. */
export interface Kind<
  Read extends KubernetesObject = KubernetesObject,
  Written extends NewKubernetesObject = NewKubernetesObject,
  StatusWritten = unknown,
> extends VirtualKind<Read, Written> {
  /** The plural in the request path, such as `deployments`. */
  readonly resource: string;
  readonly scope: Scope;
  /** What can be addressed below an object, such as `status`, where that is known. */
  readonly subresources?: readonly string[] | undefined;
  /** How objects of its other versions become this one and back, where it has such versions. */
  readonly conversion?: Conversion | undefined;
  readonly [objectTypes]?:
    | { readonly read: Read; readonly written: Written; readonly statusWritten: StatusWritten }
    | undefined;
}

/** How the versions of a kind become each other. */
export interface Conversion {
  /** All versions of the kind, such as `v1alpha1`. */
  readonly versions: readonly string[];
  /** Those of them that the API server answers in. */
  readonly served: readonly string[];
  /** The object in the version that `apiVersion` names. Throws why it cannot be; `warn` hears what was left out. */
  convert(object: JsonObject, apiVersion: string, warn?: (text: string) => void): JsonObject;
}

/** Whether objects of a kind live in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

/** The object of a kind as read: stored, defaulted, readonly. */
export type ObjectOf<K extends VirtualKind> = NonNullable<K[typeof objectTypes]>['read'];

/** The object of a kind as written: what an author must and may supply. */
export type InputOf<K extends VirtualKind> = NonNullable<K[typeof objectTypes]>['written'];

/** The status of a kind as its controller states it: whole, without what the engine stamps. */
export type StatusInputOf<K extends Kind> = NonNullable<K[typeof objectTypes]>['statusWritten'];

/** `apps/v1`, or `v1` for the legacy group. */
export function apiVersionOf({ group, version }: Pick<Kind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `deployments.apps`, or `pods` for the legacy group: how messages and rules name the resource. */
export function resourceNameOf({ group, resource }: Pick<Kind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Whether two descriptors mean the same kind; they may come from two copies of a package. */
export function isSameKind(a: Kind, b: Kind): boolean {
  return a.kind === b.kind && a.group === b.group && a.version === b.version;
}
