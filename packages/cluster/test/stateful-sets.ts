/** StatefulSets for tables: small, valid, and as the server would return them. */
import type { ControllerRevision, StatefulSet } from '@keelson/core/apps/v1';
import { templatePatch } from '../src/history/revision-hash.ts';

export interface StatefulSetChanges {
  readonly metadata?: Partial<StatefulSet['metadata']>;
  readonly spec?: Partial<StatefulSet['spec']>;
  readonly status?: Partial<StatefulSet['status']>;
}

const labels = { app: 'web' };
const base = { namespace: 'default', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

export function statefulSet({ metadata, spec, status }: StatefulSetChanges = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { ...base, name: 'web', uid: 'set', generation: 1, ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } } as never],
      ...spec,
    },
    status: { replicas: 0, ...status },
  };
}

export function revision(name: string, image: string): ControllerRevision {
  const data = templatePatch({ metadata: { labels }, spec: { containers: [{ name: 'web', image }] } });
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { ...base, name, uid: name },
    data,
    revision: 1,
  };
}
