/** What the simulated node and the scheduler do with what they are told about pods, in virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { Event } from '@keelson/core/events/v1';
import { Node, Pod } from '@keelson/core/v1';
import { createCluster, type NodeOptions } from '../src/index.ts';
import { seededRandom, VirtualClock } from './virtual-time.ts';

async function start(node: NodeOptions = {}) {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const cluster = createCluster({ clock, random, node });
  await cluster.ready;
  await clock.settle();
  const client = createClient({ transport: cluster.transport, clock, random });
  const create = (name: string, image: string, annotations: Readonly<Record<string, string>> = {}) =>
    client.create(Pod, {
      metadata: { namespace: 'default', name, annotations },
      spec: { containers: [{ name: 'web', image }] },
    });
  const said = async (name: string) => {
    await clock.advance(3000);
    const { status } = await client.get(Pod, `default/${name}`);
    const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
    const { waiting, running, terminated } = status.containerStatuses?.[0]?.state ?? {};
    return waiting?.reason ?? (running && 'running') ?? terminated?.reason ?? scheduled?.message;
  };
  return { clock, client, cluster, create, said, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

test('pods do what they are told before they are made, and while they run', async () => {
  await using scene = await start({ pods: [{ match: { image: 'bad:*' }, fails: 'ImagePullBackOff' }] });
  const { cluster, create, said, clock } = scene;
  await create('bad', 'bad:1');
  await create('good', 'good:1');
  assert.equal(await said('bad'), 'ImagePullBackOff');
  assert.equal(await said('good'), 'running');

  cluster.pods.set({ name: 'good' }, { fails: 'OOMKilled' });
  assert.equal(await said('good'), 'CrashLoopBackOff');
  cluster.pods.set({ name: 'good' }, {});
  cluster.pods.set({ image: 'bad:*' }, {});
  await clock.advance(20_000);
  assert.equal(await said('bad'), 'running');
  assert.equal(await said('good'), 'running');
});

test('a pod for which there is no node waits, until something else is said', async () => {
  await using scene = await start();
  const { cluster, create, said } = scene;
  cluster.pods.set({}, { fails: 'Unschedulable', message: 'Insufficient cpu' });
  await create('a', 'web:1');
  assert.equal(
    await said('a'),
    '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
      'preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  );
  cluster.pods.set({}, {});
  assert.equal(await said('a'), 'running');
});

test('annotations say it too, and one that makes no sense is an Event', async () => {
  await using scene = await start();
  const { client, create, said } = scene;
  await create('told', 'web:1', { 'pods.keelson/fails': 'CrashLoopBackOff' });
  await create('odd', 'web:1', { 'pods.keelson/fails': 'Sometimes' });
  assert.equal(await said('told'), 'CrashLoopBackOff');
  assert.equal(await said('odd'), 'running');
  const events = (await client.list(Event, { namespace: 'default' })).items;
  const { note = '' } = events.find(({ reason }) => reason === 'InvalidBehaviour') ?? {};
  assert.match(
    note,
    /^What the pod was told is ignored: annotation pods\.keelson\/fails must be one of ImagePullBackOff, /,
  );
});

test('where only some images can be pulled, no other can', async () => {
  await using scene = await start({ images: ['web:*'] });
  const { create, said } = scene;
  await create('known', 'web:1');
  await create('unknown', 'doesnotexist:123');
  assert.equal(await said('known'), 'running');
  assert.equal(await said('unknown'), 'ImagePullBackOff');
});

test('a node that crashes is unknown after a while, and its pods are not ready until it is back', async () => {
  await using scene = await start();
  const { cluster, client, clock, create, said } = scene;
  await create('a', 'web:1');
  assert.equal(await said('a'), 'running');
  const conditions = async () => {
    const { status: node, spec } = await client.get(Node, 'simulated-node');
    const { status: pod } = await client.get(Pod, 'default/a');
    const of = (list: readonly { readonly type: string; readonly status: string }[] = []) =>
      list.find(({ type }) => type === 'Ready')?.status;
    return [
      of(node.conditions),
      of(pod.conditions),
      ...(spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`),
    ];
  };
  cluster.node.crash();
  await create('b', 'web:1');
  await clock.advance(49_000);
  assert.deepEqual(await conditions(), ['True', 'True'], 'nobody has noticed');
  await clock.advance(2000);
  const unreachable = 'node.kubernetes.io/unreachable';
  assert.deepEqual(await conditions(), ['Unknown', 'False', `${unreachable}:NoSchedule`, `${unreachable}:NoExecute`]);
  await client.delete(Pod, 'default/a');
  await clock.advance(600_000);
  assert.ok((await client.get(Pod, 'default/a')).metadata.deletionTimestamp, 'nobody stops it');
  assert.equal((await client.get(Pod, 'default/b')).status.startTime, undefined);

  cluster.node.start();
  await clock.advance(3000);
  assert.equal(await client.find(Pod, 'default/a'), undefined);
  assert.equal(await said('b'), 'running');
  const { status, spec } = await client.get(Node, 'simulated-node');
  assert.equal(status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  assert.deepEqual(spec.taints ?? [], []);
});
