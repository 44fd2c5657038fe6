import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, createDiscovery } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import { type Cluster, createCluster } from '../src/index.ts';
import { inertKinds } from '../src/inert-kinds.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

const sendTo =
  ({ transport }: Cluster) =>
  async (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => {
    const answer = await transport.request({
      method,
      path,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return [answer.status, answer.headers.warning];
  };

test('a kind on which nothing works says so to whoever writes it, and only then', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using cluster = createCluster({ clock, random, only: [] });
  const send = sendTo(cluster);
  const path = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
  const policy = { metadata: { name: 'a' }, spec: { podSelector: {} } };
  assert.deepEqual(await send('POST', path, policy), [
    201,
    '299 - "this cluster is simulated, and does nothing with networkpolicies.networking.k8s.io: its pods have no network"',
  ]);
  assert.deepEqual(await send('GET', path), [200, undefined]);
  const configMap = { metadata: { name: 'a' } };
  assert.deepEqual(await send('POST', '/api/v1/namespaces/default/configmaps', configMap), [201, undefined]);
});

test('whoever wants pods to be spread hears once that the scheduler does not look at it', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using cluster = createCluster({ clock, random, only: [] });
  const send = sendTo(cluster);
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const labels = { app: 'a' };
  const topologySpreadConstraints = [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }];
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'a', image: 'a' }], topologySpreadConstraints },
  };
  const deployment = { metadata: { name: 'a' }, spec: { selector: { matchLabels: labels }, template } };
  assert.deepEqual(await send('POST', path, deployment), [
    201,
    '299 - "this cluster is simulated, and its scheduler does not look at spec.template.spec.topologySpreadConstraints"',
  ]);
  assert.deepEqual(await send('PATCH', `${path}/a`, { spec: { replicas: 2 } }), [200, undefined]);
});

test('every kind in the table is served', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using cluster = createCluster({ clock, random, only: [] });
  const { kinds } = await createDiscovery(createClient({ transport: cluster.transport, clock, random })).read();
  const served = kinds.map(resourceNameOf);
  assert.deepEqual(
    Object.keys(inertKinds).filter((each) => !served.includes(each)),
    [],
  );
});
