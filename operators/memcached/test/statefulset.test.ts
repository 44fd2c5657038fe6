/** A Memcached as a StatefulSet on the embedded cluster, in virtual time: names that stay, and rollouts that wait. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, type Transport } from '@keelson/core';
import { ValidatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { StatefulSet } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { Pod } from '@keelson/core/v1';
import { type StartClusterOptions, startCluster, type TestCluster } from '@keelson/testing';
import { Memcached, type NewMemcached } from '../src/api/memcached.ts';
import { memcachedOperatorWith } from '../src/operator.ts';
import type { ReadStats } from '../src/server-stats.ts';
import { v1alpha1 } from './v1alpha1.ts';

const key = 'default/cache';
const newImage = 'memcached:1.6.45';

/** Servers that hold their items since before the test are warm, and new ones when `warm` says so. */
class Servers {
  readonly warm = new Set<string>();
  reads = 0;

  readonly readStats: ReadStats = async (host) => {
    this.reads += 1;
    return { items: this.warm.has(host) ? 1000 : 3, hits: 0, misses: 0 };
  };
}

async function start(servers = new Servers(), options: Partial<StartClusterOptions> = {}) {
  const operator = { ...memcachedOperatorWith(servers.readStats), leaderElection: false };
  return await startCluster({ operators: [operator], ...options });
}

type Spec = NonNullable<NewMemcached['spec']>;

const rollout = { minReadySeconds: 30, warmup: { items: 80 } } satisfies Spec['rollout'];

/** A StatefulSet of three servers that run, all of them warm. */
async function running(cluster: TestCluster, servers: Servers, spec: Partial<Spec> = {}): Promise<void> {
  const metadata = { namespace: 'default', name: 'cache' };
  await cluster.client.create(Memcached, { metadata, spec: { size: 3, workload: 'StatefulSet', ...spec } });
  await rolledOut(cluster);
  for (const { status } of await podsOf(cluster)) servers.warm.add(status.podIP ?? '');
}

const rolledOut = (cluster: TestCluster) =>
  cluster.eventually(
    Memcached,
    key,
    ({ metadata, status }) =>
      status?.observedGeneration === metadata.generation &&
      status?.conditions?.some(({ reason }) => reason === 'RolledOut') === true,
    6 * 3_600_000,
  );

const edit = ({ client }: TestCluster, spec: { size?: number; image?: string }) =>
  client.patch(Memcached, key, { spec });

async function podsOf({ client }: TestCluster): Promise<readonly Pod[]> {
  const { items } = await client.list(Pod, { namespace: 'default' });
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** By ordinal, which image each pod has: `old` or `new`. */
const images = async (cluster: TestCluster) =>
  (await podsOf(cluster)).map(({ spec }) => (spec.containers[0]?.image === newImage ? 'new' : 'old')).join(' ');

const uids = async (cluster: TestCluster) => (await podsOf(cluster)).map(({ metadata }) => metadata.uid);

const partition = async ({ client }: TestCluster) =>
  (await client.get(StatefulSet, key)).spec.updateStrategy?.rollingUpdate?.partition;

async function makeWarm(cluster: TestCluster, servers: Servers, ordinal: number): Promise<void> {
  servers.warm.add((await cluster.client.get(Pod, `default/cache-${ordinal}`)).status.podIP ?? '');
}

const eventsWith = async ({ client }: TestCluster, reason: string) =>
  (await client.list(Event, { namespace: 'default' })).items.filter((each) => each.reason === reason);

test('servers have names that stay, and five and then three again are the same first three', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  await running(cluster, servers);
  const first = await uids(cluster);
  for (const size of [5, 3]) {
    await edit(cluster, { size });
    const { status } = await rolledOut(cluster);
    const names = Array.from({ length: size }, (_, ordinal) => `cache-${ordinal}`);
    assert.deepEqual(status?.nodes, names);
    assert.deepEqual(
      status?.endpoints,
      names.map((name) => `${name}.cache.default.svc:11211`),
    );
    assert.deepEqual([status?.updatedReplicas, status?.version, status?.change], [size, '1.6.26', undefined]);
    await cluster.clock.advance(60_000);
    assert.deepEqual((await uids(cluster)).slice(0, 3), first);
    assert.equal(await partition(cluster), size);
  }
});

test('the second server is not replaced before the first is ready for long enough and warm', async () => {
  const servers = new Servers();
  let writes = 0;
  const counting = (transport: Transport): Transport => ({
    request(request) {
      if (request.method !== 'GET') writes += 1;
      return transport.request(request);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });
  await using cluster = await start(servers, { intercept: counting });
  await running(cluster, servers, { rollout });
  await edit(cluster, { image: newImage });
  await cluster.eventually(Pod, 'default/cache-2', ({ spec }) => spec.containers[0]?.image === newImage);

  await makeWarm(cluster, servers, 2);
  await cluster.clock.advance(20_000);
  assert.equal(await images(cluster), 'old old new', 'warm, and not ready for long enough');
  await cluster.clock.advance(30_000);
  assert.equal(await images(cluster), 'old new new');

  await cluster.clock.advance(300_000);
  assert.equal(await images(cluster), 'old new new', 'ready for long, and cold');
  const { status } = await cluster.client.get(Memcached, key);
  assert.deepEqual(status?.change?.fields, ['spec.image']);
  assert.deepEqual([status?.updatedReplicas, status?.readyReplicas], [2, 3]);
  const progress = status?.conditions?.find(({ type }) => type === 'Progressing');
  assert.equal(progress?.message, '3 of 3 servers are ready. cache-1 fills its cache before cache-0 is replaced.');

  await makeWarm(cluster, servers, 1);
  const end = await rolledOut(cluster);
  assert.equal(await images(cluster), 'new new new');
  assert.deepEqual([end.status?.change, end.status?.version], [undefined, '1.6.45']);
  await cluster.clock.advance(60_000);
  assert.equal(await partition(cluster), 3, 'at rest nothing may be replaced');
  const before = [writes, servers.reads];
  await cluster.clock.advance(1_200_000);
  assert.deepEqual([writes, servers.reads], before, 'then nothing is written, and nobody asked');
});

test('a server that stays cold has its time, and then the rollout goes on and says so', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  await running(cluster, servers, { rollout });
  await edit(cluster, { image: newImage });
  await cluster.clock.advance(590_000);
  assert.equal(await images(cluster), 'old old new');
  const reads = servers.reads;
  assert.ok(reads >= 50 && reads <= 200, `${reads} reads of three servers in ten minutes`);

  await cluster.eventually(Pod, 'default/cache-1', ({ spec }) => spec.containers[0]?.image === newImage);
  const { status } = await cluster.client.get(Memcached, key);
  assert.match(
    status?.change?.reason ?? '',
    /starts empty\. cache-2 was not warm within 600 s \(3 items, of 80 percent/,
  );
  const isSaid = (each: Memcached) => each.status?.change?.reason.includes('cache-1 was not warm') === true;
  const said = await cluster.eventually(Memcached, key, isSaid, 3_600_000);
  assert.doesNotMatch(said.status?.change?.reason ?? '', /cache-2/, 'the last one alone, of however many');
  await rolledOut(cluster);
  assert.equal(await images(cluster), 'new new new');
  const told = await eventsWith(cluster, 'WarmupTimedOut');
  assert.deepEqual(told.map(({ note }) => note?.split(' ')[0]).sort(), ['cache-1', 'cache-2']);
});

test('a server that tells no stats is waited for until its time is over, and no pass fails of it', async () => {
  const servers = new Servers();
  const readStats: ReadStats = () => Promise.reject(new Error('it hangs'));
  await using cluster = await start(Object.assign(servers, { readStats }));
  await running(cluster, servers, {
    size: 2,
    rollout: { minReadySeconds: 0, warmup: { hitRatio: 80, timeoutSeconds: 60 } },
  });
  await edit(cluster, { image: newImage });
  await cluster.clock.advance(30_000);
  assert.equal(await images(cluster), 'old new');
  assert.equal(conditionOf(await rolledOut(cluster), 'Degraded').reason, 'AsExpected');
  assert.match((await eventsWith(cluster, 'WarmupTimedOut'))[0]?.note ?? '', /\(it hangs\)/);
});

test('the operator may crash after each of its writes: no server is replaced twice, and never two at a time', async () => {
  const servers = new Servers();
  let crash = () => {};
  const crashed = new Set<string>();
  let isArmed = false;
  const crashing = (transport: Transport): Transport => ({
    async request(request) {
      const answer = await transport.request(request);
      const what = `${request.method} ${request.path} ${crashed.size}`;
      if (isArmed && request.method !== 'GET' && crashed.size < 30) {
        crashed.add(what);
        crash();
      }
      return answer;
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });
  await using cluster = await start(servers, { intercept: crashing });
  const [replica] = cluster.replicas;
  assert.ok(replica);
  let isDown = false;
  crash = () => {
    isDown = true;
    replica.crash();
  };
  await running(cluster, servers, { rollout: { minReadySeconds: 10, warmup: { items: 50, timeoutSeconds: 40 } } });
  await using pods = watchPods(cluster);
  isArmed = true;
  await edit(cluster, { image: newImage });
  for (let second = 0; second < 400; second += 1) {
    await cluster.clock.advance(1_000);
    if (isDown) {
      isDown = false;
      await replica.start();
    }
  }
  isArmed = false;
  if (isDown) await replica.start();
  await rolledOut(cluster);
  assert.ok(crashed.size >= 6, `${crashed.size} crashes`);
  assert.equal(await images(cluster), 'new new new');
  assert.deepEqual(pods.deleted(), ['cache-2', 'cache-1', 'cache-0']);
  assert.equal(pods.mostDown(), 1);
});

test('twelve servers whose rollout waits for nothing are replaced at a pace that is no storm', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  await running(cluster, servers, { size: 12 });
  await edit(cluster, { image: newImage });
  await rolledOut(cluster);
  assert.doesNotMatch(await images(cluster), /old/);
});

test('another template in the middle of a rollout begins at the top, and waits for each again', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  await running(cluster, servers, { rollout });
  await edit(cluster, { image: 'memcached:1.6.44' });
  await cluster.clock.advance(60_000);
  await makeWarm(cluster, servers, 2);
  await cluster.clock.advance(60_000);
  assert.equal(await partition(cluster), 1);

  await edit(cluster, { image: newImage });
  await cluster.clock.advance(200_000);
  assert.equal(await images(cluster), 'old old new');
  for (const ordinal of [2, 1]) {
    await makeWarm(cluster, servers, ordinal);
    await cluster.clock.advance(60_000);
  }
  await rolledOut(cluster);
  assert.equal(await images(cluster), 'new new new');
});

test('a template that another hand wrote costs no server, and a restart by hand goes one by one', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  await running(cluster, servers, { rollout });
  const before = await uids(cluster);
  const containers = [{ name: 'memcached', image: 'busybox' }];
  await cluster.client.patch(StatefulSet, key, { spec: { template: { spec: { containers } } } });
  await cluster.clock.advance(60_000);
  assert.deepEqual(await uids(cluster), before);
  assert.equal(
    (await cluster.client.get(StatefulSet, key)).spec.template?.spec?.containers[0]?.image,
    'memcached:1.6.26-alpine3.19',
  );

  const annotations = { 'kubectl.kubernetes.io/restartedAt': 'now' };
  await cluster.client.patch(StatefulSet, key, { spec: { template: { metadata: { annotations } } } });
  await cluster.clock.advance(100_000);
  const after = await uids(cluster);
  assert.deepEqual(after.slice(0, 2), before.slice(0, 2), 'the first is not warm');
  assert.notEqual(after[2], before[2]);
  const { status } = await cluster.client.get(Memcached, key);
  assert.match(status?.change?.reason ?? '', /^Another hand has changed the pods/);
});

test('a replacement in v1alpha1 that would make it a Deployment is refused, and costs no server while nobody is asked', async () => {
  const servers = new Servers();
  await using cluster = await start(servers);
  const { client } = cluster;
  await running(cluster, servers);
  const before = await uids(cluster);
  const replacement = async () => {
    const { resourceVersion } = (await client.get(v1alpha1, key)).metadata;
    const metadata = { namespace: 'default', name: 'cache', resourceVersion };
    return await client.update(v1alpha1, { metadata, spec: { size: 3 } } as never);
  };
  await assert.rejects(replacement(), /spec\.workload: .*it is StatefulSet, and cannot be changed/);

  const { items } = await client.list(ValidatingWebhookConfiguration);
  for (const { metadata } of items) await client.delete(ValidatingWebhookConfiguration, metadata.name);
  await replacement();
  const degraded = await cluster.eventually(Memcached, key, (each) => conditionOf(each, 'Degraded').status === 'True');
  assert.match(conditionOf(degraded, 'Degraded').message, /^the StatefulSet of before runs the servers/);
  await cluster.clock.advance(600_000);
  assert.deepEqual(await uids(cluster), before);

  await client.delete(StatefulSet, key);
  await rolledOut(cluster);
  assert.equal((await podsOf(cluster)).length, 3);
});

interface PodWatch extends AsyncDisposable {
  /** Names in the order in which pods began to go. */
  deleted(): readonly string[];
  /** How many were not ready at a time. */
  mostDown(): number;
}

function watchPods({ client }: TestCluster): PodWatch {
  const stop = new AbortController();
  const ready = new Map<string, boolean>();
  const deleted: string[] = [];
  let most = 0;
  const watched = (async () => {
    for await (const event of client.watch(Pod, { namespace: 'default', signal: stop.signal })) {
      if (event.type === 'BOOKMARK') continue;
      const { name, deletionTimestamp } = event.object.metadata;
      const isReady = event.object.status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
      if (event.type === 'DELETED') deleted.push(name);
      ready.set(name, isReady === true && deletionTimestamp === undefined && event.type !== 'DELETED');
      if (ready.size === 3) most = Math.max(most, [...ready.values()].filter((each) => !each).length);
    }
  })();
  return {
    deleted: () => deleted,
    mostDown: () => most,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('seen enough'));
      await assert.rejects(watched, /seen enough/);
    },
  };
}
