/**
 * Who owns the claims of a StatefulSet's pods, by its retention policy: the garbage collector does the rest.
 *
 * Kept when scaled and when deleted: nobody. Deleted with the set: the set. Deleted when scaled: the pod, from the moment
 * that it is condemned, and then not the set. Claims that somebody else controls, or that an earlier set or pod of the
 * same name owned, are left alone.
 */
import { controllerReference, type KubernetesObject, type OwnerReference } from '@keelson/core';
import { StatefulSet } from '@keelson/core/apps/v1';
import { type PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import { isInRange } from './ordinals.ts';

/** A pod, also one that is not made yet and has no uid. */
export interface Claimant {
  readonly name: string;
  readonly uid: string | undefined;
  readonly ordinal: number;
}

interface Policy {
  readonly whenScaled: boolean;
  readonly whenDeleted: boolean;
}

function policyOf({ spec }: StatefulSet): Policy {
  const { whenScaled, whenDeleted } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenScaled: whenScaled === 'Delete', whenDeleted: whenDeleted === 'Delete' };
}

const ownersOf = (claim: PersistentVolumeClaim): readonly OwnerReference[] => claim.metadata.ownerReferences ?? [];

const namesSet = ({ kind, apiVersion, name }: OwnerReference, set: StatefulSet): boolean =>
  kind === StatefulSet.kind && apiVersion === set.apiVersion && name === set.metadata.name;
const namesPod = ({ kind, apiVersion, name }: OwnerReference, pod: Claimant): boolean =>
  kind === Pod.kind && apiVersion === 'v1' && name === pod.name;

/** An earlier pod of the same name owned the claim, which goes: a new pod must not begin with it. */
export function isStale(set: StatefulSet, pod: Claimant, claim: PersistentVolumeClaim): boolean {
  return policyOf(set).whenScaled && hasStaleOwner(claim, (each) => namesPod(each, pod), pod.uid);
}

function hasStaleOwner(
  claim: PersistentVolumeClaim,
  names: (owner: OwnerReference) => boolean,
  uid: string | undefined,
): boolean {
  const owner = ownersOf(claim).find(names);
  return owner !== undefined && owner.uid !== uid;
}

/** Somebody else controls the claim, so that the policy cannot be followed. */
export function isContested(set: StatefulSet, pod: Claimant, claim: PersistentVolumeClaim): boolean {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (!whenScaled && !whenDeleted) return false;
  return ownersOf(claim).some((owner) => {
    if (namesSet(owner, set)) return owner.uid !== set.metadata.uid;
    if (namesPod(owner, pod)) return owner.uid !== pod.uid;
    return owner.controller === true;
  });
}

/** The owners that the claim should have; `undefined` when it has them, or they are none of our business. */
export function ownersDue(
  set: StatefulSet,
  pod: Claimant,
  claim: PersistentVolumeClaim,
): readonly OwnerReference[] | undefined {
  const { uid } = set.metadata;
  const isOurs = (owner: OwnerReference) => owner.uid === uid || owner.uid === pod.uid;
  const isEarlier =
    hasStaleOwner(claim, (each) => namesSet(each, set), uid) ||
    hasStaleOwner(claim, (each) => namesPod(each, pod), pod.uid);
  if (isEarlier) return undefined;
  const others = ownersOf(claim).filter((each) => !namesSet(each, set) && !namesPod(each, pod));
  const ours = ownersOf(claim).filter(isOurs);
  if (isContested(set, pod, claim)) return ours.length > 0 ? others : undefined;
  const due = dueOwner(set, pod);
  const isDone =
    ours.length === (due ? 1 : 0) && ours.every(({ uid: own, controller }) => own === due?.uid && controller);
  return isDone ? undefined : due ? [...others, due] : others;
}

function dueOwner(set: StatefulSet, pod: Claimant): OwnerReference | undefined {
  const { whenScaled, whenDeleted } = policyOf(set);
  const isCondemned = !isInRange(set, pod.ordinal);
  if (whenScaled && isCondemned) {
    const { name, uid } = pod;
    return uid === undefined ? undefined : controllerReference(Pod, { metadata: { name, uid } } as KubernetesObject);
  }
  return whenDeleted ? controllerReference(StatefulSet, set) : undefined;
}
