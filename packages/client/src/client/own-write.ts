/**
 * What a write of ours did to the objects of a kind, as far as the server's answer tells.
 *
 * Only an answer that is the object itself counts: a dry run stored nothing, and what comes back from `scale`, `eviction`
 * or `token` is of another kind. `deleteCollection` answers with what there was before, and so tells nothing.
 */
import { apiVersionOf, type Kind, type KubernetesObject, keyOf, type NamespacedName } from '@keelson/core';
import type { DeleteOptions, DeleteResult, WriteOptions } from './client.ts';
import { hasLetGo } from './deletion.ts';

/** A write that the server has carried out, and what came of it. */
export type OwnWrite =
  /** The object is like this now. It belongs to the caller: whoever keeps it makes a copy. */
  | { readonly type: 'stored'; readonly kind: Kind; readonly object: KubernetesObject }
  /** The object is gone. The uid says which one that was, where that is known. */
  | {
      readonly type: 'deleted';
      readonly kind: Kind;
      readonly key: NamespacedName;
      readonly uid: string | undefined;
    };

export type AddressedKind = Pick<Kind, 'group' | 'version' | 'kind' | 'resource' | 'scope'>;

/** What a create, update, patch or apply did, if its answer shows it. */
export function storedBy(kind: AddressedKind, { dryRun }: WriteOptions, answer: unknown): OwnWrite | undefined {
  if (dryRun) return undefined;
  const object = answer as Partial<KubernetesObject>;
  if (object.kind !== kind.kind || object.apiVersion !== apiVersionOf(kind)) return undefined;
  // A review is answered and not stored.
  if (!object.metadata?.name || !object.metadata.uid || !object.metadata.resourceVersion) return undefined;
  const stored = object as KubernetesObject;
  // The write that takes the last finalizer of a deleted object removes it, and is answered with how it was.
  if (hasLetGo(stored)) return { type: 'deleted', kind, key: keyOf(stored), uid: stored.metadata.uid };
  return { type: 'stored', kind, object: stored };
}

/** What a delete did. */
export function deletedBy(
  kind: Kind,
  key: NamespacedName,
  { dryRun, preconditions }: DeleteOptions,
  result: DeleteResult<KubernetesObject>,
): OwnWrite | undefined {
  if (dryRun) return undefined;
  if (result.type === 'terminating') return { type: 'stored', kind, object: result.object };
  return { type: 'deleted', kind, key, uid: result.uid ?? preconditions?.uid };
}
