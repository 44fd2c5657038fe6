/** Objects as the API server would return them, for tables. */
import type { KubernetesObject } from '@keelson/core';
import type { Deployment, DeploymentStatus } from '@keelson/core/apps/v1';
import type { Pod, PodStatus } from '@keelson/core/v1';
import type { Memcached } from '../src/api/memcached.ts';
import { desiredDeployment } from '../src/desired.ts';

const stored = (name: string): KubernetesObject['metadata'] & { namespace: string } => ({
  name,
  namespace: 'default',
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  generation: 1,
});

interface MemcachedFields extends Partial<Memcached['spec']> {
  readonly name?: string;
  readonly status?: NonNullable<Memcached['status']>;
}

export const memcached = ({ name = 'cache', size = 3, status, ...spec }: MemcachedFields = {}): Memcached => ({
  apiVersion: 'cache.example.com/v1',
  kind: 'Memcached',
  metadata: stored(name),
  spec: { size, workload: 'Deployment', updatePolicy: 'Auto', ...spec },
  ...(status && { status }),
});

export const deployment = (status: DeploymentStatus, owner: Memcached = memcached()): Deployment => {
  const { spec } = desiredDeployment(owner);
  if (spec === undefined) throw new Error('the Deployment has no spec');
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: stored(owner.metadata.name), spec, status };
};

/** A Deployment whose controller has seen it and counts `ready` of `size` servers. */
export const deploymentWith = (ready: number, size = 3, conditions: DeploymentStatus['conditions'] = []): Deployment =>
  deployment(
    { observedGeneration: 1, replicas: size, updatedReplicas: size, readyReplicas: ready, conditions },
    memcached({ size }),
  );

export const pod = (name: string, status: PodStatus, deletionTimestamp?: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...stored(name), ...(deletionTimestamp && { deletionTimestamp }) },
  spec: { containers: [] },
  status,
});

export const waitingPod = (name: string, reason: string): Pod =>
  pod(name, {
    phase: 'Pending',
    containerStatuses: [
      { name: 'memcached', image: '', imageID: '', ready: false, restartCount: 0, state: { waiting: { reason } } },
    ],
  });
