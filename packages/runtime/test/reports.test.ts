/** Statuses that are reported, in virtual time: written after the pass, beside other passes, and gathered under load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, operator, removable, sleep, type Transport } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { type ControllerOptions, controller, done, requeueAfter } from '../src/index.ts';
import { inTime, newWidget, Widget } from './widget.ts';

const declaration = { for: Widget, owns: [removable(ConfigMap)] } as const;
type Definition = Omit<ControllerOptions<typeof declaration>, 'for' | 'owns'>;

const status = (seen: string) => ({ seen, conditions: [] });
const unacceptable = {
  seen: 'bad',
  conditions: [{ type: 'Ready', status: 'Maybe', reason: 'Seen', message: '' } as never],
};

/** An operator whose writes of statuses are noted, and sent on when `before` resolves. */
async function given(definition: Definition, before: (body: string) => Promise<void> = async () => {}) {
  const written: string[] = [];
  const intercept = (transport: Transport): Transport => ({
    async request(request) {
      if (request.method === 'PATCH' && request.path.includes('/status?')) {
        const body = String(request.body);
        await before(body);
        const { metadata, status } = JSON.parse(body);
        written.push(`${metadata.name}: ${status.seen}`);
      } else if (request.method === 'PATCH' && String(request.body).includes('"finalizers":[]')) written.push('let go');
      return await transport.request(request);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  });
  const cluster = await startCluster({
    operators: [operator({ name: 'engine', controllers: [controller({ ...declaration, ...definition })] })],
    intercept,
  });
  const create = async (...names: readonly string[]) => {
    for (const name of names) await cluster.client.create(Widget, newWidget(name));
  };
  /** They are there when the operator starts, so they let others go first. */
  const createBefore = async (...names: readonly string[]) => {
    const [replica] = cluster.replicas;
    await replica?.stop();
    await create(...names);
    await replica?.start();
  };
  const seen = async (name: string) => (await cluster.client.get(Widget, `default/${name}`)).status?.seen;
  return { cluster, clock: cluster.clock, client: cluster.client, written, create, createBefore, seen };
}

test(
  'a status is written when its pass has succeeded, stamped, and only if it says something new',
  inTime,
  async () => {
    let during: readonly string[] | undefined;
    const world = await given({
      async reconcile(_, { status: { report } }) {
        report(status('first'));
        report({ ...status('last'), conditions: [{ type: 'Ready', status: 'True', reason: 'Seen', message: '' }] });
        during = [...world.written];
        return done;
      },
    });
    await using _ = world.cluster;
    await world.create('a');
    const { status: reported } = await world.cluster.eventually(
      Widget,
      'default/a',
      (each) => each.status !== undefined,
    );
    assert.equal(reported?.observedGeneration, 1);
    assert.equal(reported?.conditions?.[0]?.observedGeneration, 1);
    assert.deepEqual(during, []);
    await world.client.patch(Widget, 'default/a', { metadata: { labels: { another: 'pass' } } });
    await world.clock.advance(5000);
    assert.deepEqual(world.written, ['a: last']);
  },
);

test('a status that differs with each pass wakes nobody', inTime, async () => {
  let passes = 0;
  const world = await given({
    async reconcile(_, { status: { report } }) {
      passes += 1;
      report(status(`pass ${passes}`));
      return done;
    },
  });
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.advance(60_000);
  assert.deepEqual([passes, world.written], [1, ['a: pass 1']]);
});

test('what a pass reports that fails is void; the status is that of onError', inTime, async () => {
  const world = await given({
    async reconcile(_, { status: { report } }) {
      report(status('well'));
      throw new Error('down');
    },
    onError: (_, error) => status(`failed: ${(error as Error).message}`),
    retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.advance(5000);
  assert.deepEqual(world.written, ['a: failed: down']);
});

test('what a pass reports that fails is void, also where nobody says another status', inTime, async () => {
  const world = await given({
    async reconcile(_, { status: { report } }) {
      report(status('well'));
      throw new Error('down');
    },
    retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 },
  });
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.advance(5000);
  assert.deepEqual(world.written, []);
});

test('a status that is applied later in the pass is the last word', inTime, async () => {
  const world = await given({
    async reconcile(_, { status: { report, apply } }) {
      report(status('reported'));
      await apply(status('applied'));
      return done;
    },
  });
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.advance(5000);
  assert.deepEqual(world.written, ['a: applied']);
});

test('a write that is refused is a failure of the pass: reported by onError, and tried again', inTime, async () => {
  let refusals = 2;
  const passes: number[] = [];
  const world = await given({
    async reconcile(_, { status: { report } }) {
      passes.push(world.clock.monotonic());
      report(refusals-- > 0 ? unacceptable : status('well'));
      return done;
    },
    onError: (_, error) => status(/Maybe/.test((error as Error).message) ? 'refused' : 'other'),
    retry: { baseDelayMs: 1000, maxDelayMs: 1000 },
  });
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.advance(5000);
  assert.deepEqual(world.written, ['a: bad', 'a: refused', 'a: bad', 'a: well']);
  assert.deepEqual(
    passes.map((at) => Math.round((at - (passes[0] ?? 0)) / 1000)),
    [0, 1, 2],
  );
  assert.equal(await world.seen('a'), 'well');
});

/** Each pass takes 100 ms, by one worker, and tells how many there were for its object. */
const slowPasses = (passes: Map<string, number>, more: Partial<Definition> = {}): Definition => ({
  async reconcile(widget, { status: { report }, clock, signal }) {
    const { name } = widget.metadata;
    await sleep(clock, 100, signal);
    passes.set(name, (passes.get(name) ?? 0) + 1);
    report(status(`pass ${passes.get(name)}`));
    return done;
  },
  ...more,
});

test('while others wait that were there at the start, a report is left to the next pass', inTime, async () => {
  const passes = new Map<string, number>();
  const world = await given(slowPasses(passes));
  await using _ = world.cluster;
  const names = Array.from({ length: 50 }, (_, i) => `w${String(i).padStart(2, '0')}`);
  await world.createBefore(...names);
  await world.clock.advance(2050);
  assert.deepEqual([passes.size, world.written], [20, []]);
  await world.clock.advance(200);
  assert.deepEqual(world.written, ['w00: pass 2'], 'after two seconds, and the newest');
  await world.clock.advance(20_000);
  const last = names.map((name) => `${name}: pass ${passes.get(name)}`);
  assert.deepEqual(world.written.toSorted(), last, 'one write for each object, its last pass');
  for (const name of names) assert.ok((passes.get(name) ?? 0) <= 2, name);
});

test('nothing is held that says nothing new', inTime, async () => {
  let passes = 0;
  const world = await given({
    async reconcile(_, { status: { report }, clock, signal }) {
      passes += 1;
      await sleep(clock, 100, signal);
      // Of an empty list, the server notes nothing, so it would be sent once more by the next process.
      report({ seen: 'always', conditions: [{ type: 'Ready', status: 'True', reason: 'Seen', message: '' }] });
      return done;
    },
  });
  await using _ = world.cluster;
  const names = ['a', 'b', 'c', 'd'];
  await world.create(...names);
  await world.clock.advance(5000);
  assert.deepEqual([passes, world.written.length], [4, 4], 'what changes now is overtaken by nobody');
  const [replica] = world.cluster.replicas;
  await replica?.stop();
  await replica?.start();
  await world.clock.advance(5000);
  assert.deepEqual([passes, world.written.length], [8, 4], 'no pass more than the first ones');
});

test('a worker does not wait for what was reported, and nobody has the object meanwhile', inTime, async () => {
  const begun: string[] = [];
  const answer = Promise.withResolvers<void>();
  const world = await given(
    {
      async reconcile(widget, { status: { report } }) {
        begun.push(keyOf(widget));
        report(status(widget.spec.text));
        return done;
      },
    },
    (body) => (body.includes('"a"') ? answer.promise : Promise.resolve()),
  );
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.settle();
  await world.client.patch(Widget, 'default/a', { spec: { text: 'edited' } });
  await world.create('b', 'c');
  await world.clock.settle();
  assert.deepEqual(begun, ['default/a', 'default/b'], 'one report for each worker; c waits, and so does the edit of a');
  assert.deepEqual(world.written, []);
  answer.resolve();
  await world.clock.advance(5000);
  assert.equal(begun.filter((each) => each === 'default/a').length, 2, 'the edit, and nothing of its own write');
  assert.deepEqual([await world.seen('a'), await world.seen('b'), await world.seen('c')], ['edited', 'hello', 'hello']);
});

/** The first pass over `a` reports while others wait; its second one fails. */
async function failingSecondPass(more: Partial<Definition>) {
  let passesOfA = 0;
  const world = await given({
    async reconcile(widget, { status: { report }, clock, signal }) {
      await sleep(clock, 100, signal);
      if (widget.metadata.name !== 'a') return done;
      passesOfA += 1;
      if (passesOfA > 1) throw new Error('down');
      report(status('held'));
      return done;
    },
    retry: { baseDelayMs: 60_000, maxDelayMs: 60_000 },
    ...more,
  });
  await world.createBefore('a', 'b', 'c');
  await world.clock.advance(5000);
  assert.equal(passesOfA, 2);
  return world;
}

test('what was held is written when the next pass fails, unless onError says another status', inTime, async () => {
  const silent = await failingSecondPass({});
  await using _ = silent.cluster;
  assert.deepEqual(silent.written, ['a: held']);
  const telling = await failingSecondPass({ onError: () => status('failed') });
  await using __ = telling.cluster;
  assert.deepEqual(telling.written, ['a: failed']);
  const quiet = await failingSecondPass({ onError: () => undefined });
  await using ___ = quiet.cluster;
  assert.deepEqual(quiet.written, ['a: held']);
});

test('of an object that is gone nothing is written, nor when its clean-up is done', inTime, async () => {
  const passes = new Map<string, number>();
  const world = await given(slowPasses(passes));
  await using _ = world.cluster;
  await world.createBefore('a', 'b', 'c', 'd');
  await world.clock.advance(150);
  await world.client.delete(Widget, 'default/a');
  await world.clock.advance(5000);
  assert.deepEqual(
    world.written.filter((line) => line.startsWith('a')),
    [],
  );

  let cleanUps = 0;
  const cleaning = await given({
    reconcile: async () => done,
    async finalize(_, { status: { report } }) {
      cleanUps += 1;
      report(status(`clean-up ${cleanUps}`));
      return cleanUps === 1 ? requeueAfter(1000) : done;
    },
  });
  await using __ = cleaning.cluster;
  await cleaning.create('a');
  await cleaning.clock.settle();
  await cleaning.client.delete(Widget, 'default/a');
  await cleaning.cluster.eventuallyGone(Widget, 'default/a');
  assert.deepEqual(cleaning.written, ['a: clean-up 1', 'a: clean-up 2', 'let go']);
});

test('a clean-up drops what was left to it, and leaves nothing to others', inTime, async () => {
  let cleanUps = 0;
  const world = await given({
    async reconcile(_, { status: { report }, clock, signal }) {
      await sleep(clock, 100, signal);
      report(status('ready'));
      return done;
    },
    async finalize(_, { status: { report }, clock, signal }) {
      cleanUps += 1;
      await sleep(clock, 100, signal);
      if (cleanUps === 2) report(status('half'));
      return requeueAfter(150);
    },
  });
  await using _ = world.cluster;
  await world.createBefore('a', 'b', 'c', 'd', 'e', 'f', 'g');
  await world.clock.advance(150);
  await world.client.delete(Widget, 'default/a');
  await world.clock.advance(120);
  assert.deepEqual([cleanUps, world.written], [1, []], 'ready was left to it');
  await world.client.patch(Widget, 'default/a', { metadata: { labels: { look: 'again' } } });
  await world.clock.advance(260);
  assert.deepEqual([cleanUps, world.written], [2, ['a: half']], 'others wait');
});

test('what was held is over when something newer was written, reported or applied', inTime, async () => {
  for (const how of ['report', 'apply'] as const) {
    let passesOfA = 0;
    const world = await given({
      async reconcile(widget, { status: by, clock, signal }) {
        await sleep(clock, 100, signal);
        if (widget.metadata.name !== 'a') return done;
        passesOfA += 1;
        if (passesOfA === 1) by.report(status('held'));
        if (passesOfA === 2) await by[how](status('newer'));
        return requeueAfter(1000);
      },
    });
    await using _ = world.cluster;
    await world.createBefore('a', 'b', 'c');
    await world.clock.advance(10_000);
    assert.deepEqual([passesOfA > 3, world.written], [true, ['a: newer']], how);
  }
});

test(
  'what was held and is refused is reported and dropped, whether the next pass fails or says nothing',
  inTime,
  async () => {
    for (const fails of [true, false]) {
      const heard: string[] = [];
      let passesOfA = 0;
      const world = await given({
        async reconcile(widget, { status: { report }, clock, signal }) {
          await sleep(clock, 100, signal);
          if (widget.metadata.name !== 'a') return done;
          passesOfA += 1;
          if (passesOfA === 1) report(unacceptable);
          if (passesOfA === 2 && fails) throw new Error('down');
          return done;
        },
        onError(_, error) {
          heard.push((error as Error).message);
          return undefined;
        },
        retry: { baseDelayMs: 1000, maxDelayMs: 1000 },
      });
      await using _ = world.cluster;
      await world.createBefore('a', 'b', 'c');
      await world.clock.advance(10_000);
      assert.deepEqual([passesOfA, world.written, heard.length], [3, ['a: bad'], 1]);
      assert.match(heard.join(), fails ? /^down$/ : /Maybe/);
    }
  },
);

test('what was held stands when the pass after it says nothing, and its write is tried again', inTime, async () => {
  let passesOfA = 0;
  let failures = 0;
  const world = await given(
    {
      async reconcile(widget, { status: { report }, clock, signal }) {
        await sleep(clock, 100, signal);
        if (widget.metadata.name !== 'a') return done;
        passesOfA += 1;
        if (passesOfA === 1) report(status('held'));
        return requeueAfter(3_600_000);
      },
      retry: { baseDelayMs: 1000, maxDelayMs: 1000 },
    },
    async () => {
      failures += 1;
      if (failures === 1) throw new Error('the way is broken');
    },
  );
  await using _ = world.cluster;
  await world.createBefore('a', 'b', 'c');
  await world.clock.advance(10_000);
  assert.deepEqual([world.written, await world.seen('a')], [['a: held'], 'held']);
  const before = passesOfA;
  await world.clock.advance(3_600_000);
  assert.equal(passesOfA, before + 1, 'what comes later by itself is not lost by that');
});

test('a process that stops writes what its passes have reported', inTime, async () => {
  const world = await given(
    {
      async reconcile(_, { status: { report } }) {
        report(status('last'));
        return done;
      },
    },
    () => sleep(world.clock, 3000),
  );
  await using _ = world.cluster;
  await world.create('a');
  await world.clock.settle();
  assert.deepEqual(world.written, []);
  await world.cluster.replicas[0]?.stop();
  assert.equal(await world.seen('a'), 'last');
});

test('each worker has one report on the way', inTime, async () => {
  const begun: string[] = [];
  const answer = Promise.withResolvers<void>();
  const world = await given(
    {
      concurrency: 2,
      async reconcile(widget, { status: { report } }) {
        begun.push(widget.metadata.name);
        report(status('well'));
        return done;
      },
    },
    () => answer.promise,
  );
  await using _ = world.cluster;
  await world.create('a', 'b', 'c', 'd', 'e', 'f');
  await world.clock.settle();
  assert.deepEqual(begun, ['a', 'b', 'c', 'd'], 'two are on the way, and two wait for that');
  answer.resolve();
  await world.clock.advance(1000);
  assert.deepEqual([begun.length, world.written.length], [6, 6]);
});
