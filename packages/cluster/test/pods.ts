/** Pods for tables: small, valid, and as the server would return them. */
import type { Pod } from '@keelson/core/v1';

export interface PodChanges {
  readonly metadata?: Partial<Pod['metadata']>;
  readonly spec?: Partial<Pod['spec']>;
  readonly status?: Partial<Pod['status']>;
}

export function pod(name: string, { metadata, spec, status }: PodChanges = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web' },
      ...metadata,
    },
    spec: { containers: [{ name: 'web', image: 'web:1' }], nodeName: 'node', ...spec },
    status: { phase: 'Running', ...status },
  };
}

export const readySince = (lastTransitionTime: string): Partial<Pod['status']> => ({
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }],
});
