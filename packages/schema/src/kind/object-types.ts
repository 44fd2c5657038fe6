/**
 * The object types that follow from a definition: as read, as written, and the status as its controller states it.
 *
 * Types only. They mirror what the API server does with the CRD of the same definition: it fills defaults on reads,
 * keeps `spec` present, and lets `status` be absent or incomplete.
 */
import type {
  Kind,
  KubernetesObject,
  NamespacedObjectMeta,
  NewKubernetesObject,
  NewObjectMeta,
  Scope,
  StoredObjectMeta,
} from '@keelson/core';
import type { z } from 'zod';
import type { KindDefinition } from './definition.ts';

// Primitives first: an open string such as `'Available' | (string & {})` is an object to `extends object`.
type ReadonlyDeep<T> = T extends string | number | boolean | bigint | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly ReadonlyDeep<Item>[]
    : T extends object
      ? { readonly [Field in keyof T]: ReadonlyDeep<T[Field]> }
      : T;

/** All fields optional, since a new object has no status yet, and `observedGeneration` beside them. */
type StatusRead<Fields> = {
  readonly [Field in keyof Fields]?: ReadonlyDeep<Fields[Field]> | undefined;
} & {
  /** The `metadata.generation` that the controller had seen when it wrote this status. */
  readonly observedGeneration?: number | undefined;
};

/** The spec of a version as read: defaults are filled in. */
export type SpecReadOf<Version> = Version extends { readonly spec: infer Spec } ? ReadonlyDeep<z.output<Spec>> : never;

/** The spec of a version as written: what has a default may be absent. */
export type SpecWrittenOf<Version> = Version extends { readonly spec: infer Spec }
  ? ReadonlyDeep<z.input<Spec>>
  : never;

/** The status of a version as read; never for a version without one. */
export type StatusReadOf<Version> = Version extends { readonly status: infer Status }
  ? StatusRead<z.output<Status>>
  : never;

/** The whole status; a kind without one has none to state. */
export type StatusWrittenOf<Version> = Version extends { readonly status: infer Status }
  ? ReadonlyDeep<z.input<Status>>
  : never;

/** The fields of an object in a version, as a conversion gets them: with defaults. */
type ConvertedFields<Version> = { readonly spec: SpecReadOf<Version> } & ([StatusReadOf<Version>] extends [never]
  ? unknown
  : { readonly status?: StatusReadOf<Version> | undefined });

/** Some fields of a value: of objects each by itself, of lists all items. `undefined` takes a field away. */
type Changes<T> = T extends string | number | boolean | bigint | null | undefined | readonly unknown[]
  ? T
  : { readonly [Field in keyof T]?: Changes<T[Field]> | undefined };

/** What a conversion says of a version. */
type FieldChanges<Version> = { readonly spec?: Changes<SpecWrittenOf<Version>> | undefined } & ([
  StatusReadOf<Version>,
] extends [never]
  ? unknown
  : { readonly status?: Changes<StatusReadOf<Version>> | undefined });

/**
 * The functions between a version and the hub; `defineKind` infers them, and this is for those in a file of their own.
 *
 * @example
 * export const v1alpha1ToV1: VersionConversion<typeof v1alpha1, typeof v1> = { toHub: ({ spec }) => …, fromHub: … };
 */
export interface VersionConversion<Version, Hub> {
  /** The fields of the hub that are not the same in this version. @default none */
  readonly toHub?: (fields: ConvertedFields<Version>) => FieldChanges<Hub>;
  /** The fields of this version that are not the same in the hub. @default none */
  readonly fromHub?: (fields: ConvertedFields<Hub>) => FieldChanges<Version>;
}

/** An object of a defined kind as the API server returns it. */
export type DefinedObject<ApiVersion extends string, Name extends string, S extends Scope, Spec, Status> = {
  readonly apiVersion: ApiVersion;
  readonly kind: Name;
  readonly metadata: S extends 'Namespaced' ? NamespacedObjectMeta : StoredObjectMeta;
  readonly spec: Spec;
} & ([Status] extends [never] ? unknown : { readonly status?: Status | undefined });

/** An object of a defined kind as it is written; a spec whose fields may all be absent may be absent itself. */
export type NewDefinedObject<ApiVersion extends string, Name extends string, Spec> = {
  readonly apiVersion?: ApiVersion | undefined;
  readonly kind?: Name | undefined;
  readonly metadata: NewObjectMeta;
} & (Partial<Spec> extends Spec ? { readonly spec?: Spec | undefined } : { readonly spec: Spec });

/** A kind made by `defineKind`: a kind of core that carries the definition from which its CRD follows. */
export interface DefinedKind<
  Read extends KubernetesObject = KubernetesObject,
  Written extends NewKubernetesObject = NewKubernetesObject,
  StatusWritten = unknown,
> extends Kind<Read, Written, StatusWritten> {
  readonly definition: KindDefinition;
}
