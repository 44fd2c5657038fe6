/** Owner references: who answers for an object, and with whom it is deleted. */
import { OperatorError } from './errors.ts';
import type { OwnerReference } from './generated/meta/v1.ts';
import { keyOf } from './key.ts';
import { apiVersionOf, type Kind, type KubernetesObject } from './kind.ts';
import type { ObjectMeta } from './meta.ts';

export type { OwnerReference };

/** The object exists, and this owner does not control it. */
export class NotControlledError extends OperatorError {
  override readonly name = 'NotControlledError';
  readonly code = 'ERR_NOT_CONTROLLED';
  /** The object that is left alone. */
  readonly object: { readonly kind: string; readonly key: string };
  /** Who controls it, if anybody does. */
  readonly controller: OwnerReference | undefined;

  constructor(object: KubernetesObject, owner: { readonly kind: string; readonly key: string }) {
    const controller = controllerOf(object);
    const by = controller
      ? `is controlled by ${controller.kind} ${controller.name}`
      : 'was not made by this controller';
    super(
      `${object.kind} ${keyOf(object)} exists and ${by}; it is left alone. Rename it or ${owner.kind} ${owner.key}, or delete it.`,
    );
    this.object = { kind: object.kind, key: keyOf(object) };
    this.controller = controller;
  }
}

export function isNotControlled(error: unknown): error is NotControlledError {
  return error instanceof Error && (error as Error & { readonly code?: unknown }).code === 'ERR_NOT_CONTROLLED';
}

/** The reference that makes `owner` the one controller of an object; the owner then waits for it in foreground deletion. */
export function controllerReference(kind: Kind, owner: KubernetesObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
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
