/** What a Memcached says and does in the situations that people bring about, in virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, sleep } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Namespace, Node, Pod, Service } from '@keelson/core/v1';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { podsOf } from '../src/desired.ts';
import { memcachedAlone } from './alone.ts';

const key = 'default/cache';
const operators = [memcachedAlone];

const create = ({ client }: TestCluster, size: number, name = 'cache') =>
  client.create(Memcached, { metadata: { namespace: 'default', name }, spec: { size } });

const available = (cluster: TestCluster, size: number, name = 'cache') =>
  cluster.eventually(
    Memcached,
    `default/${name}`,
    (memcached) => conditionOf(memcached, 'Available').status === 'True' && memcached.status?.nodes?.length === size,
  );

const told = async ({ client }: TestCluster) =>
  (await client.list(Event, { namespace: 'default' })).items
    .filter(({ regarding }) => regarding?.kind === 'Memcached')
    .map(({ type, reason }) => `${type} ${reason}`);

test('pods that find no node are a condition and an Event with the reason, until they find one', async () => {
  await using cluster = await startCluster({ operators });
  const [node] = (await cluster.client.list(Node)).items;
  const keepOff = (spec: { unschedulable: boolean; taints: { key: string; effect: 'NoSchedule' }[] | null }) =>
    cluster.client.patch(Node, node?.metadata.name ?? '', { spec });
  await keepOff({ unschedulable: true, taints: null });
  await create(cluster, 2);
  await cluster.clock.advance(10_000);

  const waiting = await cluster.client.get(Memcached, key);
  const degraded = conditionOf(waiting, 'Degraded');
  assert.equal(degraded.reason, 'Unschedulable');
  assert.match(degraded.message, /^Pod cache-\S+: it finds no node: 0\/1 nodes are available/);
  assert.equal(conditionOf(waiting, 'Progressing').reason, 'Stuck');
  assert.deepEqual([waiting.status?.replicas, waiting.status?.readyReplicas, waiting.status?.nodes], [2, 0, []]);

  // Nothing but the pods shows that the reason is another one now: neither Deployment nor budget changes.
  await keepOff({ unschedulable: false, taints: [{ key: 'gpu', effect: 'NoSchedule' }] });
  await cluster.eventually(Memcached, key, (memcached) =>
    conditionOf(memcached, 'Degraded').message.includes('untolerated taint'),
  );

  await keepOff({ unschedulable: false, taints: null });
  const ready = await available(cluster, 2);
  assert.equal(ready.status?.readyReplicas, 2);
  assert.equal(ready.status?.observedGeneration, ready.metadata.generation);
  await cluster.clock.advance(10_000);
  assert.deepEqual((await told(cluster)).sort(), [
    'Normal AllServersReady',
    'Normal Recovered',
    'Warning Unschedulable',
  ]);
});

test('the scale subresource, which kubectl scale and autoscalers use, reads and sets the size', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 1);
  await available(cluster, 1);

  await cluster.client.patch(Memcached, key, { spec: { replicas: 3 } } as never, { subresource: 'scale' });

  const { spec, status } = await available(cluster, 3);
  assert.equal(spec.size, 3);
  assert.equal(status?.replicas, 3);
  const pods = await cluster.client.list(Pod, {
    namespace: 'default',
    labels: podsOf(await cluster.client.get(Memcached, key)).labels,
  });
  assert.equal(pods.items.length, 3);
  await assert.rejects(
    cluster.client.patch(Memcached, key, { spec: { replicas: 1001 } } as never, { subresource: 'scale' }),
    /should be less than or equal to 1000/,
  );
});

test('while it is paused nothing is put back, and afterwards everything is', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 2);
  await available(cluster, 2);

  await cluster.client.patch(Memcached, key, { spec: { paused: true } });
  await cluster.eventually(Memcached, key, (memcached) => conditionOf(memcached, 'Progressing').reason === 'Paused');
  await cluster.client.patch(Deployment, key, { spec: { replicas: 1 } });
  await cluster.client.delete(Service, key);
  await cluster.clock.advance(60_000);
  assert.equal((await cluster.client.get(Deployment, key)).spec.replicas, 1);
  assert.equal(await cluster.client.find(Service, key), undefined);
  const paused = await cluster.client.get(Memcached, key);
  assert.equal(paused.status?.nodes?.length, 1, 'the status stays true');
  assert.equal(conditionOf(paused, 'Available').message, '1 of 2 servers are ready.');
  assert.ok((await told(cluster)).includes('Normal Paused'));

  await cluster.client.patch(Memcached, key, { spec: { paused: false } });
  await available(cluster, 2);
  assert.equal((await cluster.client.get(Service, key)).spec.clusterIP, 'None');
});

test('one that is paused from the beginning makes nothing', async () => {
  await using cluster = await startCluster({ operators });
  const metadata = { namespace: 'default', name: 'cache' };
  await cluster.client.create(Memcached, { metadata, spec: { size: 2, paused: true } });
  const { status } = await cluster.eventually(
    Memcached,
    key,
    (memcached) => conditionOf(memcached, 'Progressing').reason === 'Paused',
  );
  assert.deepEqual(status?.nodes, []);
  assert.equal(await cluster.client.find(Deployment, key), undefined);
});

test('two Memcacheds in one namespace never see each other’s pods', async () => {
  await using cluster = await startCluster({ operators });
  await Promise.all([create(cluster, 2, 'left'), create(cluster, 3, 'right')]);
  const left = await available(cluster, 2, 'left');
  const right = await available(cluster, 3, 'right');
  assert.ok(left.status?.nodes?.every((name) => name.startsWith('left-')));
  assert.ok(right.status?.nodes?.every((name) => name.startsWith('right-')));

  await cluster.client.delete(Memcached, 'default/left');
  await cluster.eventuallyGone(Deployment, 'default/left');
  await cluster.clock.advance(60_000);
  assert.deepEqual((await cluster.client.get(Memcached, 'default/right')).status, right.status);
});

test('a namespace that is deleted takes its Memcached along, and the operator does not stand in the way', async () => {
  const writes: string[] = [];
  await using cluster = await startCluster({
    operators,
    intercept: (transport) => ({
      request(request) {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await cluster.client.create(Namespace, { metadata: { name: 'leaving' } });
  const finalizers = ['example.com/slow'];
  const metadata = { namespace: 'leaving', name: 'cache', finalizers };
  await cluster.client.create(Memcached, { metadata, spec: { size: 2 } });
  await cluster.eventually(
    Memcached,
    'leaving/cache',
    (memcached) => conditionOf(memcached, 'Available').status === 'True',
  );
  await cluster.client.delete(Namespace, 'leaving');
  await cluster.eventuallyGone(Deployment, 'leaving/cache');
  const before = writes.length;

  await cluster.clock.advance(60_000);
  assert.ok(writes.length - before <= 10, writes.slice(before).join('\n'));

  await cluster.client.patch(Memcached, 'leaving/cache', { metadata: { finalizers: null } });
  await cluster.eventuallyGone(Namespace, 'leaving');
});

test('four Memcacheds are looked after at a time, and each by one worker', async () => {
  const inFlight: string[] = [];
  let most = 0;
  await using cluster = await startCluster({
    operators,
    intercept: (transport) => ({
      async request(request) {
        const [, name] =
          /\/(?:deployments|services|poddisruptionbudgets|memcacheds)\/([\w-]+)/.exec(request.path) ?? [];
        if (name === undefined) return await transport.request(request);
        assert.ok(!inFlight.includes(name), `two requests for ${name} at once`);
        inFlight.push(name);
        most = Math.max(most, inFlight.length);
        await sleep(cluster.clock, 100);
        inFlight.splice(inFlight.indexOf(name), 1);
        return await transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(names.map((name) => create(cluster, 1, name)));
  for (const name of names) await available(cluster, 1, name);
  assert.equal(most, 4);
});

test('all that a user may say about pods arrives in their template, and going back rolls back', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 1);
  await available(cluster, 1);
  const before = (await cluster.client.get(Deployment, key)).spec.template;
  const asked = {
    image: 'memcached:1.6.38',
    memory: '1Gi',
    config: { maxItemSize: '2Mi' },
    availability: { maxUnavailable: '50%', antiAffinity: 'Preferred' as const, zoneSpread: true },
    pod: {
      resources: { limits: { memory: '2Gi' } },
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'cache', operator: 'Exists' as const }],
      labels: { team: 'web' },
      annotations: { note: 'x' },
      volumes: [{ name: 'tmp', emptyDir: {} }],
      volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    },
  };
  await cluster.client.patch(Memcached, key, { spec: asked });
  await cluster.eventually(Deployment, key, ({ spec }) => spec.template.metadata?.labels?.team === 'web');
  await cluster.eventually(Memcached, key, (memcached) => conditionOf(memcached, 'Progressing').reason === 'RolledOut');
  const { spec } = (await cluster.client.get(Deployment, key)).spec.template;
  assert.deepEqual(spec?.containers[0]?.resources, {
    limits: { memory: '2Gi' },
    requests: { cpu: '100m' },
  });
  assert.deepEqual([spec?.nodeSelector, spec?.tolerations], [asked.pod.nodeSelector, asked.pod.tolerations]);
  assert.equal((await cluster.client.get(PodDisruptionBudget, key)).spec.maxUnavailable, '50%');

  const none = Object.fromEntries(Object.keys(asked).map((name) => [name, null]));
  await cluster.client.patch(Memcached, key, { spec: none });
  await cluster.eventually(Deployment, key, ({ spec: { template } }) => template.metadata?.labels?.team === undefined);
  assert.deepEqual((await cluster.client.get(Deployment, key)).spec.template, before);
});
