/** Which volume a claim gets, and what both say of each other once they are bound. Pure. */
import { compareQuantities, matchesLabels, parseQuantity, requirementsOf } from '@keelson/core';
import type { StorageClass } from '@keelson/core/storage/v1';
import type { ObjectReference, PersistentVolume, PersistentVolumeClaim } from '@keelson/core/v1';

const boundByController = 'pv.kubernetes.io/bound-by-controller';
const bindCompleted = 'pv.kubernetes.io/bind-completed';
const selectedNode = 'volume.kubernetes.io/selected-node';
export const provisionerAnnotation = 'volume.kubernetes.io/storage-provisioner';
const oldProvisionerAnnotation = 'volume.beta.kubernetes.io/storage-provisioner';

export const isBound = ({ metadata }: PersistentVolumeClaim): boolean =>
  metadata.annotations?.[bindCompleted] !== undefined;

/** The volume is this claim's, or reserved for it by name. */
export function belongsTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  return (
    claimRef?.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** Its class wants to know the node first, and nobody has said which. */
export const waitsForPod = ({ metadata }: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean =>
  storageClass?.volumeBindingMode === 'WaitForFirstConsumer' && metadata.annotations?.[selectedNode] === undefined;

/** The one that belongs to it already, or else the smallest of those that will do; fewest access modes first. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  isDelayed: boolean,
): PersistentVolume | undefined {
  const suitable = volumes.filter((volume) => mismatchOf(volume, claim) === undefined && !isGoing(volume));
  const own = suitable.find((volume) => belongsTo(volume, claim));
  if (own || isDelayed) return own;
  const { selector, storageClassName } = claim.spec;
  const [best] = suitable
    .filter(
      ({ metadata, spec, status }) =>
        spec.claimRef === undefined &&
        status.phase === 'Available' &&
        (spec.storageClassName ?? '') === (storageClassName ?? '') &&
        (!selector || matchesLabels(requirementsOf(selector), metadata.labels)),
    )
    .sort((a, b) => modesOf(a) - modesOf(b) || compareQuantities(sizeOf(a), sizeOf(b)));
  return best;
}

const isGoing = ({ metadata }: PersistentVolume): boolean => metadata.deletionTimestamp !== undefined;
const modesOf = ({ spec }: PersistentVolume): number => spec.accessModes?.length ?? 0;
const sizeOf = ({ spec }: PersistentVolume) => parseQuantity(String(spec.capacity?.storage ?? '0'));

/** Why a volume does not satisfy a claim, in the words of Kubernetes; `undefined` when it does. */
export function mismatchOf(volume: PersistentVolume, { spec }: PersistentVolumeClaim): string | undefined {
  const requested = parseQuantity(String(spec.resources?.requests?.storage ?? '0'));
  if (compareQuantities(sizeOf(volume), requested) < 0) return 'requested PV is too small';
  if ((volume.spec.volumeMode ?? 'Filesystem') !== (spec.volumeMode ?? 'Filesystem')) return 'incompatible volumeMode';
  const modes: readonly string[] = volume.spec.accessModes ?? [];
  return (spec.accessModes ?? []).every((mode) => modes.includes(mode)) ? undefined : 'incompatible accessMode';
}

const referenceTo = ({ metadata }: PersistentVolumeClaim): ObjectReference => {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
};

/** The volume as the claim's; `undefined` when it is. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const { metadata, spec } = volume;
  if (spec.claimRef?.uid === claim.metadata.uid) return undefined;
  const annotations = belongsTo(volume, claim)
    ? metadata.annotations
    : { ...metadata.annotations, [boundByController]: 'yes' };
  return {
    ...volume,
    metadata: { ...metadata, ...(annotations ? { annotations } : {}) },
    spec: { ...spec, claimRef: referenceTo(claim) },
  };
}

/** The claim with its volume; `undefined` when it has it. */
export function boundClaim(
  claim: PersistentVolumeClaim,
  { metadata: volume }: PersistentVolume,
): PersistentVolumeClaim | undefined {
  const { metadata, spec } = claim;
  const isNamed = spec.volumeName === volume.name;
  if (isNamed && isBound(claim)) return undefined;
  const annotations = {
    ...metadata.annotations,
    ...(isNamed ? {} : { [boundByController]: 'yes' }),
    [bindCompleted]: 'yes',
  };
  return { ...claim, metadata: { ...metadata, annotations }, spec: { ...spec, volumeName: volume.name } };
}

export function boundStatus(
  { status }: PersistentVolumeClaim,
  { spec }: PersistentVolume,
): PersistentVolumeClaim['status'] {
  return {
    ...status,
    phase: 'Bound',
    ...(spec.accessModes ? { accessModes: spec.accessModes } : {}),
    ...(spec.capacity ? { capacity: spec.capacity } : {}),
  };
}

/** The claim with the name of who shall make its volume; `undefined` when it has that. */
export function withProvisioner(claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim | undefined {
  const { annotations } = claim.metadata;
  if (annotations?.[provisionerAnnotation] === provisioner) return undefined;
  const named = { [oldProvisionerAnnotation]: provisioner, [provisionerAnnotation]: provisioner };
  return { ...claim, metadata: { ...claim.metadata, annotations: { ...annotations, ...named } } };
}
