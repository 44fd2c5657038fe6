import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, createDiscovery } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import { createCluster } from '../src/index.ts';
import { inertKinds } from '../src/inert-kinds.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

test('a kind on which nothing works says so to whoever writes it, and only then', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using cluster = createCluster({ clock, random, only: [] });
  const send = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await cluster.transport.request({
      method,
      path,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return [answer.status, answer.headers.warning];
  };
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
