/** What a pod's claims demand of the scheduler: that they are bound, or that it says first where the pod will run. */
import type { PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import { isBound } from '../volume/binding.ts';
import { claimsOf } from '../volume/protection.ts';

export type VolumeWait =
  | { readonly type: 'ready' }
  /** Nothing can be done before that has changed, in the scheduler's words. */
  | { readonly type: 'refused'; readonly reason: string }
  /** These want to know the node. */
  | { readonly type: 'undecided'; readonly claims: readonly PersistentVolumeClaim[] };

export interface VolumeSources {
  readonly claim: (key: string) => PersistentVolumeClaim | undefined;
  /** Whether claims of this class are bound only when a pod needs them. */
  readonly isDelayed: (className: string) => boolean;
}

export function volumeWait({ metadata, spec }: Pod, { claim, isDelayed }: VolumeSources): VolumeWait {
  const names = claimsOf(spec, metadata.name);
  const missing = names.find((name) => !claim(`${metadata.namespace}/${name}`));
  if (missing !== undefined) return { type: 'refused', reason: `persistentvolumeclaim "${missing}" not found` };
  const unbound = names
    .flatMap((name) => claim(`${metadata.namespace}/${name}`) ?? [])
    .filter((each) => !isBound(each));
  if (unbound.length === 0) return { type: 'ready' };
  const isPatient = (each: PersistentVolumeClaim) =>
    !each.spec.volumeName && isDelayed(each.spec.storageClassName ?? '');
  return unbound.every(isPatient)
    ? { type: 'undecided', claims: unbound }
    : { type: 'refused', reason: 'pod has unbound immediate PersistentVolumeClaims' };
}
