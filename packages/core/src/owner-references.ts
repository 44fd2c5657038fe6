/** Owner references: who answers for an object, and with whom it is deleted. */
import { OperatorError } from './errors.ts';
import type { OwnerReference } from './generated/meta/v1.ts';
import { keyOf } from './key.ts';
import { apiVersionOf, type Kind, type KubernetesObject } from './kind.ts';
import type { ObjectMeta } from './meta.ts';

export type { OwnerReference };

/** What may be owned; an object that is yet to be made may leave out its kind. */
interface Owned {
  readonly kind?: string | undefined;
  readonly metadata: ObjectMeta;
}

/** The object exists, and this owner does not control it. */
export class NotControlledError extends OperatorError {
  override readonly name = 'NotControlledError';
  readonly code = 'ERR_NOT_CONTROLLED';
  /** The object that is left alone. */
  readonly object: { readonly kind: string; readonly key: string };
  /** Who controls it, if anybody does. */
  readonly controller: OwnerReference | undefined;

  constructor(object: Owned, owner: { readonly kind: string; readonly key: string }) {
    const controller = controllerOf(object);
    const by = controller
      ? `is controlled by ${controller.kind} ${controller.name}`
      : 'was not made by this controller';
    const { kind = 'object' } = object;
    super(
      `${kind} ${keyOf(object)} exists and ${by}; it is left alone. Rename it or ${owner.kind} ${owner.key}, or delete it.`,
    );
    this.object = { kind, key: keyOf(object) };
    this.controller = controller;
  }
}

/** Whether an object was left alone because its owner does not control it. */
export function isNotControlled(error: unknown): error is NotControlledError {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'ERR_NOT_CONTROLLED';
}

/**
 * The reference that makes `owner` the one controller of an object; the owner then waits for it in foreground deletion.
 * Where the object that is there names the same owner in another of its versions, that stays as long as the garbage
 * collector can look the owner up in it: some clusters let nobody change references who may not delete the object.
 */
export function controllerReference(
  kind: Kind,
  owner: KubernetesObject,
  existing?: { readonly metadata: ObjectMeta },
): OwnerReference {
  const present = existing && controllerOf(existing);
  const served = (kind.conversion?.served ?? []).map((version) => apiVersionOf({ ...kind, version }));
  const isKept = present !== undefined && present.uid === owner.metadata.uid && served.includes(present.apiVersion);
  return {
    apiVersion: isKept ? present.apiVersion : apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** The one owner that controls an object; other owners only keep it alive. */
export function controllerOf(object: { readonly metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** By uid, since a deleted and recreated owner has the same name and is someone else. */
export function isControlledBy(object: { readonly metadata: ObjectMeta }, owner: KubernetesObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** Refuses an owner that the garbage collector would not find, or would take for deleted. */
export function assertMayOwn(owner: KubernetesObject, namespace: string | undefined, what: string): void {
  if (owner.metadata.namespace !== undefined && owner.metadata.namespace !== namespace) {
    throw new TypeError(
      `${owner.kind} ${keyOf(owner)} cannot own ${what} in ${namespace ? `namespace ${namespace}` : 'no namespace'}: an owner is cluster-scoped or in the same namespace`,
    );
  }
}

/**
 * `object` with `owner` as the one that controls it; the same value when it does already. Throws when the owner may not
 * own it, and a NotControlledError when someone else controls it: the server refuses a second controller.
 */
export function withController<T extends Owned>(object: T, ownerKind: Kind, owner: KubernetesObject): T {
  const { metadata } = object;
  const name = metadata.name ?? `${metadata.generateName ?? ''}…`;
  assertMayOwn(owner, metadata.namespace, `${object.kind ?? 'object'} ${name}`);
  const controller = controllerOf(object);
  if (controller?.uid === owner.metadata.uid) return object;
  if (controller !== undefined) {
    const named = { ...object, metadata: { ...metadata, name } };
    throw new NotControlledError(named, { kind: ownerKind.kind, key: keyOf(owner) });
  }
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  const ownerReferences = [...others, controllerReference(ownerKind, owner)];
  return { ...object, metadata: { ...metadata, ownerReferences } };
}
