import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { keyOf, type Transport } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { Job } from '@keelson/core/batch/v1';
import { Namespace, Pod } from '@keelson/core/v1';
import { type ControllerName, createControllers } from '../src/index.ts';
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

/** These controllers in virtual time, whose watch of pods shows nothing new from now on until `release`. */
async function startLagging(...only: readonly ControllerName[]) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const server = createApiServer({ clock, random });
  let held: Promise<void> | undefined;
  const transport = holdingPods(server.transport, () => held);
  const stop = new AbortController();
  const controllers = createControllers({ transport, clock, random, only: [...only, 'serviceaccount'] });
  const stopped = controllers.start(stop.signal);
  await controllers.synced;
  const client = createClient({ transport: server.transport, clock, random });
  await client.create(Namespace, { metadata: { name: 'test' } });
  await clock.settle();
  let letGo = () => {};
  held = new Promise((resolve) => {
    letGo = resolve;
  });
  return {
    clock,
    client,
    release() {
      held = undefined;
      letGo();
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await stopped;
      await server[Symbol.asyncDispose]();
    },
  };
}

test('a ReplicaSet whose watch of pods lags makes and deletes no pod twice', async () => {
  await using lagging = await startLagging('replicaset');
  const { clock, client } = lagging;
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
  lagging.release();
  await clock.advance(10_000);
  assert.equal(await active(), 4);
  assert.equal((await client.get(ReplicaSet, 'test/web')).status.replicas, 4);
});

test('a Job whose watch of pods lags makes no pod twice, and counts each once', async () => {
  await using lagging = await startLagging('job');
  const { clock, client } = lagging;
  const spec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] } as const;
  await client.create(Job, {
    metadata: { namespace: 'test', name: 'work' },
    spec: { parallelism: 2, completions: 4, template: { spec } },
  });
  const pods = async () => (await client.list(Pod, { namespace: 'test' })).items;
  const pass = async () => {
    await client.patch(Job, 'test/work', { metadata: { labels: { pass: `${clock.now()}` } } });
    await clock.advance(5000);
  };
  for (let passes = 0; passes < 3; passes += 1) await pass();
  assert.equal((await pods()).length, 2);
  const end = async () => {
    for (const pod of await pods()) {
      if (pod.status.phase === 'Pending') {
        await client.patch(Pod, keyOf(pod), { status: { phase: 'Succeeded' } }, { subresource: 'status' });
      }
    }
  };
  await end();
  await pass();
  assert.equal((await client.get(Job, 'test/work')).status.succeeded, undefined, 'nothing was seen to end yet');
  lagging.release();
  await pass();
  assert.equal((await pods()).length, 4);
  await end();
  await pass();
  const { status } = await client.get(Job, 'test/work');
  assert.deepEqual([status.succeeded, status.completionTime !== undefined], [4, true]);
  assert.equal((await pods()).length, 4);
});
