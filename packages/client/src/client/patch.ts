/** Patches as values: what a merge patch and a JSON patch may say. */
import type { JsonPatchOperation, Kind, KubernetesObject, ObjectOf } from '@keelson/core';

/** The parts to change; `null` removes a field, and an array replaces the one that is there. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: MergePatch<T[Field]> | null }
    : T;

/** What a merge patch of a kind may say. Of a kind that is only known at run time, nothing is known about its fields. */
export type MergePatchOf<K extends Kind> =
  KubernetesObject extends ObjectOf<K> ? Readonly<Record<string, unknown>> : MergePatch<ObjectOf<K>>;

/** A list of operations (RFC 6902): all of them, or none. */
export type JsonPatch = readonly JsonPatchOperation[];
