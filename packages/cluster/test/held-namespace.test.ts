import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import type { Transport } from '@keelson/core';
import { ConfigMap, Namespace, Secret } from '@keelson/core/v1';
import { createControllers } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

test('a namespace that a finalizer holds for long is looked after by few requests, and goes in the end', async () => {
  const [clock, random] = [new VirtualClock(), seededRandom(1)];
  await using server = createApiServer({ clock, random });
  const client = createClient({ transport: server.transport, clock, random });
  let requests = 0;
  const transport: Transport = {
    request(request) {
      requests += 1;
      return server.transport.request(request);
    },
    [Symbol.asyncDispose]: () => server.transport[Symbol.asyncDispose](),
  };
  const stop = new AbortController();
  const controllers = createControllers({ transport, clock, random, only: ['namespace'] });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  await client.create(Namespace, { metadata: { name: 'held' } });
  const metadata = { namespace: 'held', name: 'a', finalizers: ['example.com/hold'] };
  await client.create(ConfigMap, { metadata });
  await client.create(Secret, { metadata });
  await client.delete(Namespace, 'held');
  const remaining = async () =>
    (await client.get(Namespace, 'held')).status.conditions?.find(({ type }) => type === 'NamespaceContentRemaining')
      ?.message;

  await clock.advance(10 * 60_000);
  assert.equal(
    await remaining(),
    'Some resources are remaining: configmaps. has 1 resource instances, secrets. has 1 resource instances',
  );
  // All that there is takes some 70 requests, and it is looked at every eight seconds.
  assert.ok(requests < 1000, `${requests} requests`);

  await client.patch(Secret, 'held/a', { metadata: { finalizers: null } });
  await clock.advance(10_000);
  assert.equal(await remaining(), 'Some resources are remaining: configmaps. has 1 resource instances');
  await client.patch(ConfigMap, 'held/a', { metadata: { finalizers: null } });
  await clock.advance(10_000);
  assert.equal(await client.find(Namespace, 'held'), undefined);
  stop.abort();
  await stopped;
});
