/** Storage: a claim that names no class gets the default one, and what is in use outlives its deletion. */
import type { StorageClass } from '@keelson/core/storage/v1';
import { type ApiObject, at, put, readAs } from '../object.ts';
import type { AdmissionContext } from './admission.ts';

const collection = 'storageclasses.storage.k8s.io';
const isDefault = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class', // its name of old
];

/** An empty name is one: that of no class. Of several defaults, the newest counts. */
export function defaultStorageClass({ objects }: AdmissionContext, claim: ApiObject): ApiObject {
  if (at(claim, 'spec', 'storageClassName') !== undefined) return claim;
  if (claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] !== undefined) return claim;
  const [newest] = [...objects.list(collection)]
    .map((each) => readAs<StorageClass>(each).metadata)
    .filter(({ annotations }) => isDefault.some((name) => annotations?.[name] === 'true'))
    .sort((a, b) => compare(b.creationTimestamp, a.creationTimestamp) || compare(a.name, b.name));
  return newest ? put(claim, ['spec', 'storageClassName'], newest.name) : claim;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The finalizer is taken away by a controller when nothing uses the object any more. */
export function protectedStorage(object: ApiObject, finalizer: string): ApiObject {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(finalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, finalizer] } };
}
