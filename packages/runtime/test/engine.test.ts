/** The engine on the embedded cluster, in virtual time: when things happen, to the millisecond. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, isControlledBy, keyOf, operator, removable, TransportError } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { controller, createManager, done, requeueAfter, TerminalError } from '../src/index.ts';
import { Widget } from './widget.ts';

const key = 'default/a';
const widget = (text = 'hello') => ({ metadata: { namespace: 'default', name: 'a' }, spec: { text } });
const declaration = { for: Widget, owns: [removable(ConfigMap)] } as const;

type Definition = Parameters<typeof controller<typeof Widget, (typeof declaration)['owns']>>[0];

const cluster = (definition: Omit<Definition, 'for' | 'owns'>, options: Parameters<typeof startCluster>[0] = {}) =>
  startCluster({
    ...options,
    operators: [operator({ name: 'engine', controllers: [controller({ ...declaration, ...definition })] })],
  });

test('a failure is retried after 5 ms, then after twice as long each time, up to 1000 s, whatever it says', async () => {
  const times: number[] = [];
  await using running = await cluster({
    async reconcile() {
      times.push(running.clock.monotonic());
      throw new Error(`failure ${times.length}`);
    },
    onError: (_, error) => ({
      seen: '',
      conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: (error as Error).message }],
    }),
  });
  await running.client.create(Widget, widget());
  await running.clock.advance(3 * 3_600_000);

  const gaps = times.slice(1).map((time, i) => Math.round(time - (times[i] ?? 0)));
  assert.deepEqual(gaps.slice(0, 6), [5, 10, 20, 40, 80, 160]);
  assert.deepEqual(new Set(gaps.slice(18)), new Set([1_000_000]));
  const { status } = await running.client.get(Widget, key);
  assert.equal(status?.conditions?.[0]?.message, `failure ${times.length}`);
});

test('success ends the backoff', async () => {
  const times: number[] = [];
  await using running = await cluster({
    async reconcile(object) {
      times.push(running.clock.monotonic());
      if (object.spec.text !== 'fine') throw new Error('not fine');
      return done;
    },
  });
  await running.client.create(Widget, widget());
  await running.clock.advance(60_000);
  await running.client.patch(Widget, key, { spec: { text: 'fine' } });
  await running.clock.settle();
  const passes = times.length;
  await running.clock.advance(3_600_000);
  assert.equal(times.length, passes);
  await running.client.patch(Widget, key, { spec: { text: 'bad again' } });
  await running.clock.advance(5);
  assert.deepEqual(
    times.slice(passes).map((time) => time - (times[passes] ?? 0)),
    [0, 5],
  );
});

test('a requeue comes at its time and no earlier', async () => {
  const times: number[] = [];
  await using running = await cluster({
    async reconcile() {
      times.push(running.clock.monotonic());
      return requeueAfter(90_000);
    },
  });
  await running.client.create(Widget, widget());
  await running.clock.advance(200_000);
  const [first = 0] = times;
  assert.deepEqual(
    times.map((time) => time - first),
    [0, 90_000, 180_000],
  );
});

test('a terminal error is reported once and not retried until the object changes', async () => {
  let passes = 0;
  await using running = await cluster({
    async reconcile() {
      passes += 1;
      throw new TerminalError('never');
    },
    onError: (_, error) => ({ seen: (error as Error).message, conditions: [] }),
  });
  await running.client.create(Widget, widget());
  await running.eventually(Widget, key, ({ status }) => status?.seen === 'never');
  await running.clock.advance(8 * 3_600_000); // the resync after about ten hours asks anew
  assert.equal(passes, 1);
  await running.client.patch(Widget, key, { spec: { text: 'other' } });
  await running.clock.settle();
  assert.equal(passes, 2);
});

test('an owned object is made, repaired and seen at once, and goes with its owner', async () => {
  const seen: (string | undefined)[] = [];
  await using running = await cluster({
    async reconcile(object, { owned, cache }) {
      await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } });
      seen.push(cache.get(ConfigMap, key)?.data?.text);
      return done;
    },
  });
  const owner = await running.client.create(Widget, widget());
  const made = await running.eventually(ConfigMap, key);
  assert.ok(isControlledBy(made, owner));
  assert.equal(seen[0], 'hello');

  await running.client.patch(ConfigMap, key, { data: { text: 'changed', foreign: 'kept' } });
  const repaired = await running.eventually(ConfigMap, key, ({ data }) => data?.text === 'hello');
  assert.equal(repaired.data?.foreign, 'kept');

  await running.client.delete(Widget, key);
  await running.eventuallyGone(ConfigMap, keyOf(made));
});

test('an answer that got lost is no loss: the next pass finds what was written', async () => {
  let losses = 0;
  await using running = await cluster(
    {
      async reconcile(object, { owned, status }) {
        await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { text: object.spec.text } });
        await status.apply({ seen: object.spec.text, conditions: [] });
        return done;
      },
    },
    {
      intercept: (transport) => ({
        async request(request) {
          const answer = await transport.request(request);
          if (request.method !== 'PATCH' || losses >= 3) return answer;
          losses += 1;
          throw new TransportError(`PATCH ${request.path}`, 'the answer got lost');
        },
        [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
      }),
    },
  );
  await running.client.create(Widget, widget());
  await running.eventually(Widget, key, ({ status }) => status?.seen === 'hello');
  assert.equal(losses, 3);
  assert.equal((await running.client.get(ConfigMap, key)).data?.text, 'hello');
});

test('what a deleted namesake left behind raises no alarm', async () => {
  await using running = await cluster({
    async reconcile(object, { owned }) {
      await owned.apply(ConfigMap, { metadata: { name: 'a' }, data: { uid: object.metadata.uid } });
      return done;
    },
    onError: () => ({ seen: 'alarm', conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: '' }] }),
  });
  await running.client.create(Widget, widget());
  await running.eventually(ConfigMap, key);
  await running.client.delete(Widget, key);
  const second = await running.client.create(Widget, widget());
  await running.eventually(ConfigMap, key, ({ data }) => data?.uid === second.metadata.uid);
  const { status } = await running.client.get(Widget, key);
  assert.equal(status, undefined);
  assert.equal(conditionOf({ metadata: second.metadata }, 'Ready').status, 'Unknown');
});

test('a stop is immediate where nothing can be reached, and before anything has begun', async () => {
  await using running = await startCluster();
  const unreachable = {
    request: async () => {
      throw new TransportError('any request', 'refused');
    },
    async [Symbol.asyncDispose]() {},
  };
  const lonely = operator({
    name: 'lonely',
    controllers: [controller({ ...declaration, reconcile: async () => done })],
  });
  const { clock } = running;
  for (const when of ['before', 'after']) {
    const stop = new AbortController();
    if (when === 'before') stop.abort(new Error('stop'));
    const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
    let ended = false;
    const started = createManager(lonely, {
      transport: unreachable,
      clock,
      logger: silent,
      health: false,
      metrics: false,
    })
      .start(stop.signal)
      .finally(() => {
        ended = true;
      });
    await clock.advance(60_000);
    stop.abort(new Error('stop'));
    await clock.settle();
    assert.ok(ended, when);
    await started;
  }
});
