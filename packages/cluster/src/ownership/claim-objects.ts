/**
 * Takes and releases objects for an owner, by patches that fail if the object is another one by now.
 *
 * Before the first adoption the owner is read live: a cached owner may be deleted already, and what it then adopted
 * would be deleted with it.
 */
import type { Client, MergePatch } from '@keelson/client';
import {
  controllerReference,
  isInvalid,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  type ObjectOf,
  type Requirement,
} from '@keelson/core';
import { claimOf } from './claim.ts';

export interface ClaimOptions<Owner extends Kind, Owned extends Kind> {
  readonly client: Client;
  readonly ownerKind: Owner;
  readonly owner: ObjectOf<Owner>;
  readonly selector: readonly Requirement[];
  readonly kind: Owned;
  /** What is adopted gets it, and what is released loses it. */
  readonly finalizer?: string;
}

/** The candidates that are the owner's afterwards, as they are then. All are tried before a failure is thrown. */
export async function claimObjects<Owner extends Kind, Owned extends Kind>(
  options: ClaimOptions<Owner, Owned>,
  candidates: readonly ObjectOf<Owned>[],
): Promise<readonly ObjectOf<Owned>[]> {
  const { owner, selector } = options;
  const claimed: ObjectOf<Owned>[] = [];
  const failures: unknown[] = [];
  let mayAdopt: Promise<void> | undefined;
  for (const object of candidates) {
    try {
      switch (claimOf(owner, selector, object)) {
        case 'keep':
          claimed.push(object);
          break;
        case 'adopt': {
          mayAdopt ??= requireLive(options);
          await mayAdopt;
          const adopted = await adopt(options, object);
          if (adopted) claimed.push(adopted);
          break;
        }
        case 'release':
          await release(options, object);
          break;
        case 'ignore':
      }
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return claimed;
}

async function requireLive<Owner extends Kind, Owned extends Kind>({
  client,
  ownerKind,
  owner,
}: ClaimOptions<Owner, Owned>): Promise<void> {
  const key = keyOf(owner);
  const { metadata }: KubernetesObject = await client.get(ownerKind, key);
  if (metadata.uid !== owner.metadata.uid) throw new Error(`${ownerKind.kind} ${key} is gone; another has its name`);
  if (metadata.deletionTimestamp !== undefined) throw new Error(`${ownerKind.kind} ${key} has just been deleted`);
}

async function adopt<Owner extends Kind, Owned extends Kind>(
  { client, ownerKind, owner, kind, finalizer }: ClaimOptions<Owner, Owned>,
  object: ObjectOf<Owned>,
): Promise<ObjectOf<Owned> | undefined> {
  const ownerReferences = [controllerReference(ownerKind, owner)];
  const finalizers = finalizer === undefined ? {} : { finalizers: [finalizer] };
  try {
    return await patchMetadata(client, kind, object, { ownerReferences, ...finalizers });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function release<Owner extends Kind, Owned extends Kind>(
  { client, owner, kind, finalizer }: ClaimOptions<Owner, Owned>,
  object: ObjectOf<Owned>,
): Promise<void> {
  const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }];
  const finalizers = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] };
  try {
    await patchMetadata(client, kind, object, { ownerReferences, ...finalizers });
  } catch (error) {
    // Invalid means that it has no such owner any more, or is another object under the same name.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}

/** A strategic merge patch: owner references are merged by uid, and the object's uid is a precondition. */
async function patchMetadata<K extends Kind>(
  client: Client,
  kind: K,
  object: ObjectOf<K>,
  metadata: object,
): Promise<ObjectOf<K>> {
  const patch = { metadata: { uid: object.metadata.uid, ...metadata } };
  return client.patch(kind, keyOf(object), patch as MergePatch<ObjectOf<K>>, { type: 'strategic' });
}
