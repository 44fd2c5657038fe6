import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import type { Transport } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Namespace, Pod, ResourceQuota } from '@keelson/core/v1';
import { createControllers } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

test('a pod that comes between the first count of a quota and its status is counted', async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  await using server = createApiServer({ clock, random });
  const client = createClient({ transport: server.transport, clock, random });
  const metadata = { namespace: 'test', name: 'a' };
  let wasCounted = false;
  const transport: Transport = {
    async request(request) {
      const response = await server.transport.request(request);
      if (wasCounted || !request.path.startsWith('/api/v1/namespaces/test/pods')) return response;
      wasCounted = true;
      await client.create(Pod, { metadata, spec: { containers: [{ name: 'web', image: 'web:1' }] } });
      return response;
    },
    [Symbol.asyncDispose]: () => server.transport[Symbol.asyncDispose](),
  };
  const stop = new AbortController();
  const controllers = createControllers({ transport, clock, random, only: ['resourcequota', 'serviceaccount'] });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  await client.create(Namespace, { metadata: { name: 'test' } });
  await clock.settle();
  await client.create(ResourceQuota, { metadata, spec: { hard: { pods: '5' } } });
  await clock.settle();
  const { status } = await client.get(ResourceQuota, 'test/a');
  assert.equal(wasCounted, true);
  assert.deepEqual(status?.used, { pods: '1' });
  stop.abort();
  await stopped;
});

test('objects of a definition that was replaced by another version are counted on', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using server = createApiServer({ clock, random });
  const client = createClient({ transport: server.transport, clock, random });
  const stop = new AbortController();
  const controllers = createControllers({ transport: server.transport, clock, random, only: ['resourcequota'] });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  const version = (name: string, served: boolean) => ({
    name,
    served,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object' as const } },
  });
  await client.create(CustomResourceDefinition, {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1', true)],
    },
  });
  await client.create(Namespace, { metadata: { name: 'test' } });
  const metadata = { namespace: 'test', name: 'a' };
  await client.create(ResourceQuota, { metadata, spec: { hard: { 'count/widgets.example.com': '5' } } });
  await clock.settle();
  const versions = [version('v1', false), version('v2', true)];
  await client.patch(CustomResourceDefinition, 'widgets.example.com', { spec: { versions } });
  await clock.advance(6 * 60_000);
  const Widget = {
    group: 'example.com',
    version: 'v2',
    kind: 'Widget',
    resource: 'widgets',
    scope: 'Namespaced',
  } as const;
  const used = async () => (await client.get(ResourceQuota, 'test/a')).status?.used;
  await client.create(Widget, { metadata });
  assert.deepEqual(await used(), { 'count/widgets.example.com': '1' });
  await client.delete(Widget, 'test/a');
  await clock.settle();
  assert.deepEqual(await used(), { 'count/widgets.example.com': '0' });
  stop.abort();
  await stopped;
});
