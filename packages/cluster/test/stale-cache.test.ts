import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import type { Transport } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { Namespace, Pod } from '@keelson/core/v1';
import { createControllers } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

/** A transport whose pod watches show nothing new while `isHeld` says so. */
function holdingPods(transport: Transport, isHeld: () => Promise<void> | undefined): Transport {
  return {
    async request(request) {
      const response = await transport.request(request);
      if (!request.streaming || !request.path.startsWith('/api/v1/pods?')) return response;
      return {
        ...response,
        body: (async function* () {
          for await (const chunk of response.body) {
            await isHeld();
            yield chunk;
          }
        })(),
      };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

test('a ReplicaSet whose watch of pods lags makes and deletes no pod twice', async () => {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  await using server = createApiServer({ clock, random });
  let held: Promise<void> | undefined;
  const transport = holdingPods(server.transport, () => held);
  const stop = new AbortController();
  const controllers = createControllers({ transport, clock, random, only: ['replicaset', 'serviceaccount'] });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  const client = createClient({ transport: server.transport, clock, random });
  await client.create(Namespace, { metadata: { name: 'test' } });
  await clock.settle();
  let release = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
  const labels = { app: 'web' };
  await client.create(ReplicaSet, {
    metadata: { namespace: 'test', name: 'web' },
    spec: {
      replicas: 5,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  });
  const active = async () =>
    (await client.list(Pod, { namespace: 'test' })).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    ).length;
  // Each change of the ReplicaSet is a pass in which the watch shows none of the pods that were made.
  for (const [replicas, expected] of [
    [5, 5],
    [5, 5],
    [7, 7],
    [3, 3],
    [3, 3],
    [4, 4],
  ] as const) {
    await client.patch(ReplicaSet, 'test/web', {
      metadata: { labels: { pass: `${replicas}-${clock.now()}` } },
      spec: { replicas },
    });
    await clock.advance(1000);
    assert.equal(await active(), expected);
  }
  held = undefined;
  release();
  await clock.advance(10_000);
  assert.equal(await active(), 4);
  assert.equal((await client.get(ReplicaSet, 'test/web')).status.replicas, 4);
  stop.abort();
  await stopped;
});
