/** Patches as values: what a merge patch and a JSON patch may say. */

/** The parts to change; `null` removes a field, and an array replaces the one that is there. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Field in keyof T]?: MergePatch<T[Field]> | null }
    : T;

export type JsonPatch = readonly JsonPatchOperation[];

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };
