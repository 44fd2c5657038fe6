/** Deletion, in virtual time: the finalizer, and when `finalize` is called. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator, rulesOf, sleep, TransportError } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { type ControllerOptions, controller, done, requeueAfter } from '../src/index.ts';
import { newWidget, rememberingLogger, Widget } from './widget.ts';

const declaration = { for: Widget, owns: [ConfigMap] } as const;
type Options = ControllerOptions<typeof declaration>;
type ClusterOptions = Parameters<typeof startCluster>[0];

const finalizer = 'engine.example.com/widget';
const held = 'example.com/held';
const key = 'default/a';

const engineOf = (options: Options) =>
  operator({ name: 'engine', controllers: [controller({ ...declaration, ...options })] });

async function startEngine(options: Options, clusterOptions: ClusterOptions = {}) {
  const logger = rememberingLogger();
  const cluster = await startCluster({ ...clusterOptions, operators: [engineOf(options)], logger });
  return Object.assign(cluster, { logger });
}

test('the finalizer is there before the first reconcile, and goes when finalize has succeeded', async () => {
  const story: string[] = [];
  await using engine = await startEngine({
    async reconcile(widget, { client, owned }) {
      const { metadata } = await client.get(Widget, key);
      story.push(`reconcile, marked ${widget.metadata.finalizers}, stored ${metadata.finalizers}`);
      await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: 'kept' } });
      return done;
    },
    async finalize(_, { cache, client }) {
      const { metadata } = await client.get(Widget, key);
      story.push(`finalize, stored ${metadata.finalizers}, owned ${cache.get(ConfigMap, key)?.data?.text}`);
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.eventually(ConfigMap, key);
  await engine.clock.settle();
  await engine.client.delete(Widget, key);
  await engine.eventuallyGone(Widget, key);
  await engine.eventuallyGone(ConfigMap, key);
  assert.deepEqual(new Set(story.slice(0, -1)), new Set([`reconcile, marked ${finalizer}, stored ${finalizer}`]));
  assert.equal(story.at(-1), `finalize, stored ${finalizer}, owned kept`);
  assert.deepEqual(engine.logger.said('error'), []);
});

test('the rules follow from the declaration', () => {
  const withFinalize = rulesOf(engineOf({ reconcile: async () => done, finalize: async () => {} }));
  const without = rulesOf(engineOf({ reconcile: async () => done }));
  const verbsOn = (rules: typeof without) => rules.find(({ resources }) => resources[0] === 'widgets')?.verbs;
  assert.deepEqual(verbsOn(withFinalize), ['get', 'list', 'watch', 'patch']);
  assert.deepEqual(verbsOn(without), ['get', 'list', 'watch']);
});

test('finalize is tried again until it succeeds, later each time, and can ask to look again', async () => {
  const times: number[] = [];
  await using engine = await startEngine({
    reconcile: async () => done,
    async finalize() {
      times.push(engine.clock.monotonic());
      if (times.length <= 3) throw new Error('not yet');
      return times.length === 4 ? requeueAfter(60_000) : done;
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.settle();
  await engine.client.delete(Widget, key);
  await engine.clock.advance(59_000);
  assert.deepEqual((await engine.client.get(Widget, key)).metadata.finalizers, [finalizer]);
  await engine.eventuallyGone(Widget, key);
  assert.deepEqual(
    times.slice(1).map((time, i) => time - (times[i] ?? 0)),
    [5, 10, 20, 60_000],
  );
});

test('finalize does not begin before an earlier pass has come to rest, even one that timed out', async () => {
  const release = Promise.withResolvers<void>();
  const records = new Set<string>();
  const story: string[] = [];
  await using engine = await startEngine({
    timeoutMs: 10_000,
    concurrency: 2,
    async reconcile() {
      story.push('reconcile begins');
      await release.promise;
      records.add('a'); // the late answer of a DNS server
      story.push('reconcile ends');
      return done;
    },
    async finalize() {
      story.push('finalize');
      records.delete('a');
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(30_000);
  await engine.client.delete(Widget, key);
  await engine.clock.advance(3_600_000);
  assert.deepEqual(story, ['reconcile begins']);
  release.resolve();
  await engine.eventuallyGone(Widget, key);
  assert.deepEqual(story, ['reconcile begins', 'reconcile ends', 'finalize']);
  assert.deepEqual([...records], []);
});

test('an object that is deleted during its first pass is finalized after it', async () => {
  const story: string[] = [];
  await using engine = await startEngine({
    async reconcile(_, { clock }) {
      story.push('reconcile begins');
      await sleep(clock, 1000);
      story.push('reconcile ends');
      return done;
    },
    async finalize() {
      story.push('finalize');
    },
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(500);
  await engine.client.delete(Widget, key);
  await engine.eventuallyGone(Widget, key);
  assert.deepEqual(story, ['reconcile begins', 'reconcile ends', 'finalize']);
});

test('an object that was deleted before it was ever seen is left alone: nothing was done for it', async () => {
  const story: string[] = [];
  let isOpen = false;
  await using engine = await startEngine(
    {
      async reconcile() {
        story.push('reconcile');
        return done;
      },
      async finalize() {
        story.push('finalize');
      },
    },
    {
      intercept: (transport) => ({
        ...transport,
        async request(request) {
          if (!isOpen) throw new TransportError(request.path, 'unreachable');
          return transport.request(request);
        },
      }),
    },
  );
  await engine.client.create(Widget, { ...newWidget(), metadata: { ...newWidget().metadata, finalizers: [held] } });
  await engine.client.delete(Widget, key);
  isOpen = true;
  await engine.clock.advance(60_000);
  assert.deepEqual(story, []);
  assert.deepEqual((await engine.client.get(Widget, key)).metadata.finalizers, [held]);
  assert.deepEqual(engine.logger.said('error'), []);
});

test('an object that is deleted between the look at it and its finalizer raises no alarm', async () => {
  const story: string[] = [];
  let deleted = false;
  await using engine = await startEngine(
    {
      async reconcile() {
        story.push('reconcile');
        return done;
      },
      async finalize() {
        story.push('finalize');
      },
    },
    {
      intercept: (transport) => ({
        ...transport,
        async request(request) {
          if (!deleted && request.method === 'PATCH') {
            deleted = true;
            await engine.client.delete(Widget, key);
          }
          return transport.request(request);
        },
      }),
    },
  );
  for (const finalizers of [[], [held]]) {
    deleted = false;
    await engine.client.create(Widget, { ...newWidget(), metadata: { ...newWidget().metadata, finalizers } });
    await engine.clock.advance(10_000);
    assert.ok(deleted);
    assert.deepEqual(story, []);
    assert.deepEqual(engine.logger.said('error'), []);
    if (finalizers.length > 0) await engine.client.patch(Widget, key, { metadata: { finalizers: null } });
    await engine.eventuallyGone(Widget, key);
  }
});

test('a finalizer that someone took away is put back while the object lives', async () => {
  await using engine = await startEngine({ reconcile: async () => done, finalize: async () => {} });
  await engine.client.create(Widget, newWidget());
  const isMarked = ({ metadata }: { readonly metadata: { readonly finalizers?: readonly string[] | undefined } }) =>
    metadata.finalizers?.includes(finalizer) ?? false;
  await engine.eventually(Widget, key, isMarked);
  await engine.client.patch(Widget, key, { metadata: { finalizers: [held] } });
  const { metadata } = await engine.eventually(Widget, key, isMarked);
  assert.deepEqual(metadata.finalizers, [held, finalizer], 'beside what others put there');
});

test('somebody who writes meanwhile does not make the clean-up happen twice', async () => {
  let finalized = 0;
  let interfered = 0;
  await using engine = await startEngine(
    {
      reconcile: async () => done,
      async finalize() {
        finalized += 1;
      },
    },
    {
      intercept: (transport) => ({
        ...transport,
        async request(request) {
          if (finalized > 0 && interfered < 3 && request.method === 'PATCH') {
            interfered += 1;
            await engine.client.patch(Widget, key, { metadata: { labels: { touched: String(interfered) } } });
          }
          return transport.request(request);
        },
      }),
    },
  );
  await engine.client.create(Widget, newWidget());
  await engine.clock.settle();
  await engine.client.delete(Widget, key);
  await engine.eventuallyGone(Widget, key);
  await engine.clock.advance(60_000);
  assert.deepEqual([finalized, interfered], [1, 3]);
});

test('a namesake that comes right after has a life of its own', async () => {
  const story: string[] = [];
  await using engine = await startEngine({
    async reconcile({ spec }) {
      story.push(`reconcile ${spec.text}`);
      return done;
    },
    async finalize({ spec }, { client }) {
      story.push(`finalize ${spec.text}`);
      await client.find(Widget, key);
    },
  });
  await engine.client.create(Widget, newWidget('a', 'first'));
  await engine.clock.settle();
  await engine.client.delete(Widget, key);
  await engine.eventuallyGone(Widget, key);
  await engine.client.create(Widget, newWidget('a', 'second'));
  await engine.clock.settle();
  assert.deepEqual([...new Set(story)], ['reconcile first', 'finalize first', 'reconcile second']);
  assert.deepEqual((await engine.client.get(Widget, key)).metadata.finalizers, [finalizer]);
});

test('a finalizer without finalize is refused, since nobody would ever take it away', () => {
  assert.throws(() => controller({ for: Widget, finalizer: 'example.com/x', reconcile: async () => done }), {
    name: 'RangeError',
    message: 'controller widget: a finalizer without finalize would keep every object for ever',
  });
});

test('a new object has one pass: its own finalizer wakes nobody', async () => {
  let passes = 0;
  await using engine = await startEngine({
    async reconcile() {
      passes += 1;
      return done;
    },
    async finalize() {},
  });
  await engine.client.create(Widget, newWidget());
  await engine.clock.advance(60_000);
  assert.equal(passes, 1);
  await engine.client.patch(Widget, key, { metadata: { finalizers: null } });
  await engine.clock.advance(60_000);
  assert.equal(passes, 2);
  assert.deepEqual((await engine.client.get(Widget, key)).metadata.finalizers, [finalizer]);
});
