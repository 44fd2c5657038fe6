/**
 * Deployments as clusters are full of them: a container with a probe, resources and volumes, a status with conditions, and
 * the managedFields of the two who wrote them. About 5.5 kB of JSON each, half of it managedFields.
 */
import type { Client } from '@keelson/client';
import type { InputOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Namespace } from '@keelson/core/v1';
import { nameOf } from '../subjects/client/names.ts';

export interface Population {
  readonly namespace: string;
  readonly count: number;
}

/** Requests that the API server gets at the same time; more do not make it faster. */
const parallel = 16;

/** Makes the namespace and that many Deployments in it. */
export async function populate(client: Client, population: Population): Promise<void> {
  await client.create(Namespace, { metadata: { name: population.namespace } });
  await createDeployments(client, population);
}

/** Makes that many Deployments in a namespace that is there. */
export async function createDeployments(client: Client, { namespace, count }: Population): Promise<void> {
  await inParallel(count, parallel, async (index) => {
    await client.create(Deployment, deployment(namespace, index), { fieldManager: 'helm' });
    // In place of the controllers, which are away, so that nothing else happens.
    const options = { subresource: 'status', fieldManager: 'kube-controller-manager' };
    await client.patch(Deployment, `${namespace}/${nameOf(index)}`, { status: rolledOut }, options);
  });
}

/** Calls `work` for each index below `count`, a few at a time and in their order. */
export async function inParallel(
  count: number,
  workers: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}

function deployment(namespace: string, index: number): InputOf<typeof Deployment> {
  const name = nameOf(index);
  const selector = { 'app.kubernetes.io/name': 'storefront', 'app.kubernetes.io/instance': name };
  return {
    metadata: {
      name,
      namespace,
      labels: {
        ...selector,
        'app.kubernetes.io/managed-by': 'Helm',
        'app.kubernetes.io/version': '4.17.2',
        tier: 'web',
      },
      annotations: {
        'deployment.kubernetes.io/revision': '7',
        'meta.helm.sh/release-name': name,
        'meta.helm.sh/release-namespace': namespace,
      },
    },
    spec: {
      replicas: 3,
      selector: { matchLabels: selector },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: {
        metadata: { labels: selector, annotations: { 'prometheus.io/scrape': 'true' } },
        spec: {
          serviceAccountName: 'storefront',
          securityContext: { runAsNonRoot: true, fsGroup: 10001 },
          containers: [
            {
              name: 'web',
              image: 'registry.example.com/shop/storefront:4.17.2',
              args: ['serve', '--listen=:8080', '--config=/etc/storefront/config.yaml'],
              ports: [{ name: 'http', containerPort: 8080 }],
              env: [
                { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                { name: 'DATABASE_PASSWORD', valueFrom: { secretKeyRef: { name: 'storefront', key: 'password' } } },
              ],
              resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
              readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
              volumeMounts: [{ name: 'config', mountPath: '/etc/storefront', readOnly: true }],
            },
          ],
          volumes: [{ name: 'config', configMap: { name: 'storefront' } }],
        },
      },
    },
  };
}

const since = '2026-11-01T08:00:00Z';

const rolledOut = {
  observedGeneration: 1,
  replicas: 3,
  updatedReplicas: 3,
  readyReplicas: 3,
  availableReplicas: 3,
  conditions: [
    {
      type: 'Available',
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
      lastUpdateTime: since,
      lastTransitionTime: since,
    },
    {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: 'ReplicaSet "storefront-7c5ddbdf54" has successfully progressed.',
      lastUpdateTime: since,
      lastTransitionTime: since,
    },
  ],
};
