/** Objects that are reconciled again and again and get nowhere: slowed, and named. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { operator, sleep } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { ConfigMap } from '@keelson/core/v1';
import { conditions, defineKind } from '@keelson/schema';
import { type StartClusterOptions, startCluster, type TestCluster } from '@keelson/testing';
import { z } from 'zod';
import { controller, done } from '../src/index.ts';
import { documented } from './documented.ts';

const Widget = defineKind({
  group: 'storms.example.com',
  kind: 'Widget',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ replicas: z.int32().default(1) }),
      status: z.object({ seen: z.string(), conditions: conditions('Ready') }),
    },
  },
});

const key = 'default/a';
const widget = { metadata: { namespace: 'default', name: 'a' } };
const declaration = { for: Widget, owns: [Deployment, ConfigMap] } as const;
type Definition = Parameters<typeof controller<typeof Widget, (typeof declaration)['owns']>>[0];

const deployment = (replicas: number) => ({
  metadata: { name: 'a' },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'web', image: 'web:1' }] },
    },
  },
});

/** Writes of the operator, by virtual time. */
async function start(
  reconcile: Definition['reconcile'],
  options: StartClusterOptions = {},
): Promise<TestCluster & { readonly writes: number[]; readonly passes: number[]; readonly log: string[] }> {
  const writes: number[] = [];
  const passes: number[] = [];
  const log: string[] = [];
  const note = (message: string) => void log.push(message);
  const logger = { debug() {}, info: note, warn: note, error: note, with: () => logger };
  const cluster: TestCluster = await startCluster({
    tolerate: ['storm'],
    logger,
    intercept: (transport) => ({
      request(request) {
        const isEvent = request.path.includes('/events');
        if (request.method !== 'GET' && !isEvent) writes.push(cluster?.clock.monotonic() ?? 0);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
    ...options,
    operators: [
      operator({
        name: 'widget-operator',
        controllers: [
          controller({
            ...declaration,
            async reconcile(object, context) {
              passes.push(context.clock.monotonic());
              return reconcile(object, context);
            },
          }),
        ],
      }),
    ],
  });
  return Object.assign(cluster, { writes, passes, log });
}

const stormOf = async ({ client }: TestCluster): Promise<string | undefined> =>
  (await client.list(Event)).items.find(({ reason }) => reason === 'ReconcileStorm')?.note;

test('a fight over a field is slowed after ten writes, and the Event names the other manager', async () => {
  await using cluster = await start(async ({ spec }, { owned }) => {
    await owned.apply(Deployment, deployment(spec.replicas));
    return done;
  });
  await cluster.client.create(Widget, widget);
  await cluster.eventually(Deployment, key);
  const other = createClient({ transport: cluster.cluster.transport, clock: cluster.clock, fieldManager: 'rival' });
  const stop = new AbortController();
  const rival = (async () => {
    while (!stop.signal.aborted) {
      const { spec } = await other.get(Deployment, key);
      if (spec.replicas !== 7) await other.patch(Deployment, key, { spec: { replicas: 7 } });
      await sleep(cluster.clock, 50);
    }
  })();
  const before = cluster.writes.length;
  await cluster.clock.advance(60_000);

  const writes = cluster.writes.slice(before);
  const [tenth = 0] = writes.slice(9);
  const later = writes.filter((at) => at > tenth + 1000);
  assert.ok(writes.length >= 10 && later.length < 20, `${writes.length} writes, ${later.length} after the first ten`);
  assert.equal(await stormOf(cluster), documented('**A fight**')[0]);
  stop.abort();
  await cluster.clock.advance(180_000);
  await rival;
  assert.equal((await cluster.client.get(Deployment, key)).spec.replicas, 1);
  assert.ok(cluster.log.includes('The reconcile storm is over'));
});

test('another that overwrites the status is named, too', async () => {
  await using cluster = await start(async (_, { status }) => {
    await status.apply({ seen: 'mine', conditions: [] });
    return done;
  });
  await cluster.client.create(Widget, widget);
  const other = createClient({ transport: cluster.cluster.transport, clock: cluster.clock, fieldManager: 'rival' });
  const stop = new AbortController();
  const rival = (async () => {
    while (!stop.signal.aborted) {
      await other.patch(Widget, key, { status: { seen: 'his' } }, { subresource: 'status' });
      await sleep(cluster.clock, 50);
    }
  })();
  await cluster.clock.advance(30_000);
  stop.abort();
  await cluster.clock.advance(50);
  await rival;
  assert.ok(cluster.writes.length < 25, `${cluster.writes.length} writes`);
  assert.equal(await stormOf(cluster), documented('**A fight**')[1]);
});

test('a status that differs with each pass wakes itself, and is slowed and named', async () => {
  await using cluster = await start(async (_, { status }) => {
    await status.apply({ seen: `${cluster.passes.length}`, conditions: [] });
    return done;
  });
  await cluster.client.create(Widget, widget);
  await cluster.clock.advance(60_000);
  assert.ok(cluster.passes.length < 30, `${cluster.passes.length} passes`);
  assert.deepEqual([await stormOf(cluster)], documented('A reconcile that wakes itself'));
});

test('an owned object that is described differently with each pass is slowed and named', async () => {
  await using cluster = await start(async (_, { owned }) => {
    await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { passes: `${cluster.passes.length}` } });
    return done;
  });
  await cluster.client.create(Widget, widget);
  await cluster.clock.advance(60_000);
  assert.ok(cluster.passes.length < 30, `${cluster.passes.length} passes`);
  assert.match(
    (await stormOf(cluster)) ?? '',
    /^This operator writes data\.passes of ConfigMap default\/a again and again/,
  );
});

test('foreign annotations that churn on an owned object lead to no write, and soon to few passes', async () => {
  await using cluster = await start(async ({ spec }, { owned, status }) => {
    const { status: now } = await owned.apply(Deployment, deployment(spec.replicas));
    await status.apply({ seen: `${now?.readyReplicas ?? 0}`, conditions: [] });
    return done;
  });
  await cluster.client.create(Widget, widget);
  await cluster.eventually(Widget, key, ({ status }) => status?.seen === '1');
  await cluster.clock.advance(10_000);
  const [writes, passes] = [cluster.writes.length, cluster.passes.length];
  for (let i = 0; i < 400; i += 1) {
    await cluster.client.patch(Deployment, key, { metadata: { annotations: { churn: `${i}` } } });
    await cluster.clock.advance(20);
  }
  assert.equal(cluster.writes.length, writes);
  assert.ok(cluster.passes.length - passes < 260, `${cluster.passes.length - passes} passes for 400 changes`);
  assert.deepEqual([await stormOf(cluster)], documented('Changes that concern nobody'));
  await cluster.client.patch(Widget, key, { spec: { replicas: 2 } });
  await cluster.eventually(Deployment, key, ({ spec }) => spec.replicas === 2, 6000);
});

test('a status that goes back and forth is slowed and named', async () => {
  await using cluster = await start(async ({ spec }, { owned, status }) => {
    // Kubernetes counts a change of annotations as a new generation of a Deployment, which its controller observes later.
    const { metadata, status: now } = await owned.apply(Deployment, deployment(spec.replicas));
    const seen = metadata.generation === now?.observedGeneration ? 'settled' : 'rolling';
    await status.apply({ seen, conditions: [] });
    return done;
  });
  await cluster.client.create(Widget, widget);
  await cluster.eventually(Widget, key, ({ status }) => status?.seen === 'settled');
  const before = cluster.writes.length;
  for (let i = 0; i < 200; i += 1) {
    await cluster.client.patch(Deployment, key, { metadata: { annotations: { churn: `${i}` } } });
    await cluster.clock.advance(20);
  }
  assert.ok(cluster.writes.length - before < 20, `${cluster.writes.length - before} writes for 200 changes`);
  assert.match((await stormOf(cluster)) ?? '', /^This operator writes status\.seen of the status again and again/);
});

test('in a test a storm is an error that names the object and the field', async () => {
  const run = async () => {
    await using cluster = await start(
      async (_, { status }) => {
        await status.apply({ seen: `${cluster.passes.length}`, conditions: [] });
        return done;
      },
      { tolerate: [] },
    );
    await cluster.client.create(Widget, widget);
    await cluster.clock.advance(1000);
  };
  const [text = '', end] = documented('In `@keelson/testing` a storm fails the test').join().split('…');
  await assert.rejects(run, ({ message }: Error) => message.startsWith(text) && end === '');
});

test('a rollout with many changes is no storm', async () => {
  await using cluster = await start(
    async ({ spec }, { owned, status }) => {
      const { status: now } = await owned.apply(Deployment, deployment(spec.replicas));
      await status.apply({ seen: `${now?.readyReplicas ?? 0}`, conditions: [] });
      return done;
    },
    { tolerate: [] },
  );
  await cluster.client.create(Widget, { ...widget, spec: { replicas: 40 } });
  await cluster.eventually(Widget, key, ({ status }) => status?.seen === '40');
  for (let replicas = 1; replicas <= 15; replicas += 1) await cluster.client.patch(Widget, key, { spec: { replicas } });
  await cluster.eventually(Widget, key, ({ status }) => status?.seen === '15');
});
