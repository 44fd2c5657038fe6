/** The operator on the embedded cluster, in virtual time: most of its behaviour, in milliseconds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, type Transport, type TransportRequest } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Pod, Service } from '@keelson/core/v1';
import type { Logger } from '@keelson/runtime';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { podsOf } from '../src/desired.ts';
import { memcachedAlone } from './alone.ts';

const key = 'default/cache';
const operators = [memcachedAlone];

const create = ({ client }: TestCluster, size: number, name = 'cache') =>
  client.create(Memcached, { metadata: { namespace: 'default', name }, spec: { size } });

const isAvailable = (size: number) => (memcached: Memcached) =>
  conditionOf(memcached, 'Available').status === 'True' && memcached.status?.nodes?.length === size;

const available = (cluster: TestCluster, size: number) => cluster.eventually(Memcached, key, isAvailable(size));

test('raising spec.size scales the Deployment, and the status names its pods', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 1);
  await available(cluster, 1);

  await cluster.client.patch(Memcached, key, { spec: { size: 3 } });

  const { status } = await available(cluster, 3);
  assert.equal((await cluster.client.get(Deployment, key)).spec.replicas, 3);
  const pods = await cluster.client.list(Pod, podsOf(await cluster.client.get(Memcached, key)));
  assert.deepEqual(status?.nodes, pods.items.map(({ metadata }) => metadata.name).sort());
});

test('a deleted pod is replaced, and the status names those that run: five, and then three', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 3);
  const [gone = ''] = (await available(cluster, 3)).status?.nodes ?? [];
  await cluster.client.delete(Pod, `default/${gone}`);
  await cluster.eventually(Memcached, key, (each) => isAvailable(3)(each) && !each.status?.nodes?.includes(gone));
  for (const size of [5, 3]) {
    await cluster.client.patch(Memcached, key, { spec: { size } });
    const { status } = await available(cluster, size);
    await cluster.clock.advance(10_000);
    const pods = await cluster.client.list(Pod, { namespace: 'default' });
    assert.deepEqual(status?.nodes, pods.items.map(({ metadata }) => metadata.name).sort());
  }
});

test('a deleted Deployment comes back, a changed one is put right', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 2);
  await available(cluster, 2);
  const before = await cluster.client.get(Deployment, key);

  await cluster.client.patch(Deployment, key, { spec: { replicas: 4 } });
  await cluster.eventually(Deployment, key, ({ spec, metadata }) => spec.replicas === 2 && metadata.generation === 3);
  await cluster.client.delete(Deployment, key);
  const after = await cluster.eventually(Deployment, key, ({ metadata }) => metadata.uid !== before.metadata.uid);

  assert.equal(after.spec.replicas, 2);
  await available(cluster, 2);
});

test('a Deployment of someone else is left alone until it is gone, with a condition and one Event', async () => {
  await using cluster = await startCluster({ operators });
  const labels = { app: 'foreign' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'x', image: 'x' }] } };
  const spec = { replicas: 0, selector: { matchLabels: labels }, template };
  await cluster.client.create(Deployment, { metadata: { namespace: 'default', name: 'cache' }, spec });
  await create(cluster, 1);

  await cluster.eventually(Memcached, key, (memcached) => conditionOf(memcached, 'Degraded').status === 'True');
  await cluster.clock.advance(1_800_000); // half an hour of backoff; Events are kept for an hour

  const { items } = await cluster.client.list(Event, { namespace: 'default' });
  const told = items.filter(({ reason }) => reason === 'DeploymentNotControlled');
  assert.deepEqual(
    told.map(({ series }) => series),
    [undefined],
    'told once, not at each retry',
  );
  assert.equal((await cluster.client.get(Deployment, key)).metadata.ownerReferences, undefined);

  await cluster.client.delete(Deployment, key);
  const repaired = await available(cluster, 1);
  assert.equal(conditionOf(repaired, 'Degraded').status, 'False');
});

test('a Service of someone else is left alone; the servers run all the same, and the status says what is missing', async () => {
  await using cluster = await startCluster({ operators });
  const spec = { selector: { app: 'foreign' }, ports: [{ port: 80 }] };
  await cluster.client.create(Service, { metadata: { namespace: 'default', name: 'cache' }, spec });
  await create(cluster, 2);

  await available(cluster, 2);
  await cluster.clock.advance(60_000);

  const degraded = conditionOf(await cluster.client.get(Memcached, key), 'Degraded');
  assert.deepEqual([degraded.status, degraded.reason], ['True', 'ServiceNotControlled']);
  assert.match(degraded.message, /^Service default\/cache exists and was not made by this controller/);
  assert.deepEqual((await cluster.client.get(Service, key)).spec.selector, { app: 'foreign' });
  assert.equal((await cluster.client.get(PodDisruptionBudget, key)).spec.maxUnavailable, 1);

  await cluster.client.delete(Service, key);
  await cluster.eventually(Memcached, key, (memcached) => conditionOf(memcached, 'Degraded').status === 'False');
  assert.equal((await cluster.client.get(Service, key)).spec.clusterIP, 'None');
});

test('deleting a Memcached removes everything it stood for, and is no error', async () => {
  const errors: string[] = [];
  await using cluster = await startCluster({ operators, logger: hearing(errors) });
  await create(cluster, 3);
  await available(cluster, 3);
  await cluster.client.delete(Memcached, key);
  await cluster.eventuallyGone(Deployment, key);
  await cluster.eventuallyGone(Service, key);
  await cluster.eventuallyGone(PodDisruptionBudget, key);
  await cluster.clock.advance(60_000);
  assert.deepEqual(errors, []);
  assert.deepEqual((await cluster.client.list(Pod, { namespace: 'default' })).items, []);
});

test('a Memcached that is made again at once takes no notice of what its namesake left', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 2);
  const { metadata } = await available(cluster, 2);
  // The garbage collector has taken the Deployment already, and is slow with the rest.
  const finalizers = ['example.com/slow'];
  await cluster.client.patch(Service, key, { metadata: { finalizers } });
  await cluster.client.delete(Memcached, key);
  await cluster.eventuallyGone(Deployment, key);

  await create(cluster, 2);
  await cluster.clock.advance(1_000);
  await cluster.client.patch(Service, key, { metadata: { finalizers: null } });
  const again = await available(cluster, 2);

  assert.notEqual(again.metadata.uid, metadata.uid);
  const { items } = await cluster.client.list(Event, { namespace: 'default' });
  assert.deepEqual(
    items.filter(({ reason }) => reason?.endsWith('NotControlled')),
    [],
  );
});

test('there are never more servers than asked for, whatever the size is changed to', async () => {
  await using cluster = await startCluster({ operators });
  await create(cluster, 1);
  await available(cluster, 1);
  const alive = new Set<string>();
  let most = 0;
  const stop = new AbortController();
  const watched = (async () => {
    for await (const event of cluster.client.watch(Pod, { namespace: 'default', signal: stop.signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { name, deletionTimestamp } = event.object.metadata;
      if (event.type === 'DELETED' || deletionTimestamp !== undefined) alive.delete(name);
      else alive.add(name);
      most = Math.max(most, alive.size);
    }
  })();
  let before = 1;
  for (const size of [5, 2, 4, 1, 3]) {
    most = 0;
    await cluster.client.patch(Memcached, key, { spec: { size } });
    await available(cluster, size);
    assert.ok(most <= Math.max(before, size), `${most} servers on the way from ${before} to ${size}`);
    before = size;
  }
  stop.abort(new Error('seen enough'));
  await assert.rejects(watched, /seen enough/);
});

test('a virtual hour after it has converged, though it looked every ten minutes, the operator has written nothing', async () => {
  const writes: string[] = [];
  await using cluster = await startCluster({
    operators: [
      { ...memcachedAlone, controllers: memcachedAlone.controllers.map((each) => ({ ...each, resyncMs: 600_000 })) },
    ],
    intercept: (transport) => listening(transport, (line) => writes.push(line)),
  });
  await create(cluster, 3);
  await available(cluster, 3);
  await cluster.clock.advance(60_000);
  assert.ok(writes.length > 0, 'its writes are seen here');
  const before = writes.length;

  await cluster.clock.advance(3_600_000);

  assert.deepEqual(writes.slice(before), []);
});

test('the same seed gives the same requests and answers, byte for byte, and another seed does not', async () => {
  const first = await recorded(7);
  assert.ok(first.length > 20, `${first.length} exchanges`);
  assert.equal(first.join('\n'), (await recorded(7)).join('\n'));
  assert.notEqual(first.join('\n'), (await recorded(8)).join('\n'));
});

/** Every byte that goes between the operator and the API server during the slice. */
async function recorded(seed: number): Promise<readonly string[]> {
  const log: string[] = [];
  {
    await using cluster = await startCluster({ operators, seed, intercept: (transport) => recording(transport, log) });
    await create(cluster, 3);
    await available(cluster, 3);
    await cluster.client.patch(Memcached, key, { spec: { size: 5 } });
    await available(cluster, 5);
    await cluster.client.delete(Memcached, key);
    await cluster.eventuallyGone(Deployment, key);
    await cluster.clock.advance(600_000);
  }
  return log;
}

function recording(transport: Transport, log: string[]): Transport {
  return {
    async request(request) {
      log.push(`> ${request.method} ${request.path} ${request.body ?? ''}`);
      const response = await transport.request(request);
      const body = (async function* () {
        for await (const chunk of response.body) {
          log.push(`< ${response.status} ${request.path} ${Buffer.from(chunk).toString()}`);
          yield chunk;
        }
      })();
      return { ...response, body };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

function listening(transport: Transport, heard: (line: string) => void): Transport {
  return {
    request(request: TransportRequest) {
      if (request.method !== 'GET') heard(`${request.method} ${request.path}`);
      return transport.request(request);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/** Keeps the errors, whatever they are about. */
function hearing(errors: string[]): Logger {
  const logger: Logger = {
    debug() {},
    info() {},
    warn() {},
    error: (message, fields) => void errors.push(`${message} ${String(fields?.error ?? '')}`),
    with: () => logger,
  };
  return logger;
}
