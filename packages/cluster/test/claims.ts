/** Claims and volumes for tables: small, valid, and as the server would return them. */
import type { PersistentVolume, PersistentVolumeClaim } from '@keelson/core/v1';

type Changes<T extends { readonly metadata: object; readonly spec: object; readonly status: object }> = {
  readonly [Part in 'metadata' | 'spec' | 'status']?: Partial<T[Part]>;
};

const base = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

export function claim(name: string, { metadata, spec, status }: Changes<PersistentVolumeClaim> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: 'default', uid: name, ...base, ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
      ...spec,
    },
    status: { phase: 'Pending', ...status },
  } satisfies PersistentVolumeClaim as PersistentVolumeClaim;
}

export function volume(name: string, { metadata, spec, status }: Changes<PersistentVolume> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: name, ...base, ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
      ...spec,
    },
    status: { phase: 'Available', ...status },
  } satisfies PersistentVolume as PersistentVolume;
}
