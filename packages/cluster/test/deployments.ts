/** Deployments and ReplicaSets for tables: small, valid, and as the server would return them. */
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';

type Changes<T> = {
  readonly metadata?: Partial<Deployment['metadata']>;
  readonly spec?: Partial<T extends { readonly spec: infer Spec } ? Spec : never>;
  readonly status?: Partial<T extends { readonly status: infer Status } ? Status : never>;
};

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
};

const selector = { matchLabels: { app: 'web' } };

const base = {
  namespace: 'default',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '2026-01-01T00:00:00Z',
};

export function deployment({ metadata, spec, status }: Changes<Deployment> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { ...base, name: 'web', uid: 'deployment', ...metadata },
    spec: {
      replicas: 3,
      selector,
      template,
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      ...spec,
    },
    status: { ...status },
  };
}

/** A ReplicaSet `web-<hash>` of that Deployment, whose template is the Deployment's own unless changed. */
export function replicaSet(hash: string, { metadata, spec, status }: Changes<ReplicaSet> = {}): ReplicaSet {
  const labels = { app: 'web', 'pod-template-hash': hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { ...base, name: `web-${hash}`, uid: hash, labels, ...metadata },
    spec: {
      replicas: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: template.spec },
      ...spec,
    },
    status: { replicas: 0, ...status },
  };
}

/** The same with another image, so that it is an old one. */
export function oldReplicaSet(hash: string, changes: Changes<ReplicaSet> = {}): ReplicaSet {
  const labels = { app: 'web', 'pod-template-hash': hash };
  const old = { metadata: { labels }, spec: { containers: [{ name: 'web', image: `web:${hash}` }] } };
  return replicaSet(hash, { ...changes, spec: { template: old, ...changes.spec } });
}
