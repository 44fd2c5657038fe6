/** The logs of the simulated node, in virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, createClient, type PodLogOptions, podLog } from '@keelson/client';
import { isApiError } from '@keelson/core';
import { Node, Pod, ServiceAccount } from '@keelson/core/v1';
import { createCluster } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

interface Scene extends AsyncDisposable {
  readonly client: Client;
  readonly clock: VirtualClock;
}

/** A cluster whose node needs three seconds to stop a container. */
async function start(): Promise<Scene> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const cluster = createCluster({ clock, random, node: { readyAfterMs: 0, stopAfterMs: 3000 } });
  await cluster.ready;
  const client = createClient({ transport: cluster.transport, clock, random });
  await clock.settle();
  await client.get(ServiceAccount, 'default/default');
  return { client, clock, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

const newPod = (client: Client, spec: object = {}, finalizers: readonly string[] = []) =>
  client.create(Pod, {
    metadata: { name: 'a', namespace: 'default', finalizers },
    spec: { containers: [{ name: 'web', image: 'web:1' }], ...spec },
  });

/** What has come of a log so far, and whether that is all. */
function read(client: Client, options: PodLogOptions = {}) {
  const seen = { text: '', isOver: false, failure: undefined as unknown };
  const reading = (async () => {
    for await (const chunk of podLog(client, 'default/a', options)) seen.text += Buffer.from(chunk).toString();
  })();
  void reading
    .catch((error: unknown) => {
      seen.failure = error;
    })
    .finally(() => {
      seen.isOver = true;
    });
  return seen;
}

test('a log is empty; who follows it waits until the container has ended, though the pod stays', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  await newPod(client, {}, ['example.com/hold']);
  await clock.advance(1000);
  const once = read(client);
  const following = read(client, { follow: true });
  await clock.advance(900_000); // longer than its watch of the pod lasts
  assert.deepEqual(once, { text: '', isOver: true, failure: undefined });
  assert.equal(following.isOver, false);
  await client.delete(Pod, 'default/a');
  await clock.advance(2000);
  assert.equal(following.isOver, false, 'it still stops');
  await clock.advance(2000);
  assert.deepEqual(following, { text: '', isOver: true, failure: undefined });
  assert.ok(await client.get(Pod, 'default/a'));
  const late = read(client, { follow: true });
  await clock.settle();
  assert.equal(late.isOver, true, 'nothing is left to wait for');
});

test('a container writes what its command says, and its pod is over when it has ended', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  const command = ['sh', '-c', 'echo one; sleep 5; echo two; exit 3'];
  await newPod(client, { restartPolicy: 'Never', containers: [{ name: 'web', image: 'web:1', command }] });
  await clock.advance(1000);
  const early = read(client);
  const following = read(client, { follow: true });
  await clock.settle();
  assert.deepEqual(early, { text: 'one\n', isOver: true, failure: undefined });
  assert.deepEqual(following, { text: 'one\n', isOver: false, failure: undefined });
  await clock.advance(5000);
  assert.deepEqual(following, { text: 'one\ntwo\n', isOver: true, failure: undefined });
  const { status } = await client.get(Pod, 'default/a');
  assert.equal(status.phase, 'Failed');
  assert.equal(status.containerStatuses?.[0]?.state?.terminated?.exitCode, 3);
  const last = read(client, { tailLines: 1, limitBytes: 2 });
  await clock.settle();
  assert.equal(last.text, 'tw');
});

test('the log of the run before the last restart is kept', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  const command = ['sh', '-c', 'echo bad; exit 1'];
  await newPod(client, { containers: [{ name: 'web', image: 'web:1', command }] });
  await clock.advance(1000);
  const previous = read(client, { previous: true });
  await clock.settle();
  assert.deepEqual(previous, { text: 'bad\n', isOver: true, failure: undefined });
});

test('who follows a pod that is removed at once is let go', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  await newPod(client);
  await clock.advance(1000);
  const following = read(client, { follow: true });
  await clock.settle();
  await client.delete(Pod, 'default/a', { gracePeriodSeconds: 0 });
  await clock.settle();
  assert.deepEqual(following, { text: '', isOver: true, failure: undefined });
});

test('who leaves is not waited for', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  await newPod(client);
  await clock.advance(1000);
  const controller = new AbortController();
  const following = read(client, { follow: true, signal: controller.signal });
  await clock.settle();
  controller.abort(new Error('enough'));
  await clock.settle();
  assert.equal(following.isOver, true);
  assert.match(String(following.failure), /enough/);
});

test('the log of a container on another node cannot be had', async () => {
  await using scene = await start();
  const { client, clock } = scene;
  await client.create(Node, { metadata: { name: 'elsewhere' } });
  await newPod(client, { nodeName: 'elsewhere' });
  const log = read(client);
  await clock.settle();
  const { failure } = log;
  assert.ok(isApiError(failure));
  assert.equal(failure.status.code, 501);
});
