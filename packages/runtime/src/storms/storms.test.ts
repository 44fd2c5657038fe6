import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubernetesObject } from '@keelson/core';
import { VirtualClock } from '@keelson/testing';
import { type PlannedWrite, type Storm, Storms } from './storms.ts';

const key = 'default/a';
const object = (generation = 1, resourceVersion = '1'): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'default', uid: 'u', creationTimestamp: 'then', generation, resourceVersion },
});

function given() {
  const clock = new VirtualClock();
  const begun: Storm[] = [];
  const calmed: string[] = [];
  const storms = new Storms({
    controller: 'widget',
    clock,
    onStorm: (storm) => void begun.push(storm),
    onCalm: (calm) => void calmed.push(calm),
  });
  interface Pass {
    readonly causes?: readonly string[];
    readonly generation?: number;
    /** What is written; nothing, if absent. */
    readonly wanted?: object;
    readonly write?: Partial<PlannedWrite>;
    readonly result?: KubernetesObject;
  }
  /** One pass over the object, with at most one write. */
  const pass = async ({ causes = ['Widget default/a updated'], generation = 1, wanted, write, result }: Pass = {}) => {
    storms.begin(key, object(generation), causes);
    if (wanted !== undefined) {
      const planned = {
        target: 'the status',
        wanted,
        isDescription: false,
        live: object(),
        fields: () => [],
        askManagers: async () => [],
        ...write,
      };
      await storms.beforeWrite(key, planned);
      storms.written(key, planned.target, wanted, result ?? object(1, '2'));
    }
    storms.ended(key);
  };
  const passes = async (count: number, options: (i: number) => Pass) => {
    for (let i = 0; i < count; i++) await pass(options(i));
  };
  return { clock, storms, begun, calmed, pass, passes };
}

test('ten writes that say again what was said are a storm, and nine are none', async () => {
  const { storms, begun, passes } = given();
  const wanted = { replicas: 1 };
  const write = {
    target: 'Deployment default/a',
    fields: () => [['spec', 'replicas']],
    askManagers: async () => ['hpa'],
  };
  await passes(10, () => ({ wanted, write }));
  assert.deepEqual([begun, storms.count, storms.waitMs(key)], [[], 0, 0]);
  await passes(1, () => ({ wanted, write }));
  assert.deepEqual(begun, [
    {
      controller: 'widget',
      key,
      message:
        'hpa changes spec.replicas of Deployment default/a again whenever this operator has set it; it has one pass in 5 s from now on',
      target: 'Deployment default/a',
      fields: ['spec.replicas'],
      managers: ['hpa'],
      causes: ['Widget default/a updated'],
    },
  ]);
  assert.equal(storms.count, 1);
  await passes(20, () => ({ wanted, write }));
  assert.equal(begun.length, 1, 'it is told of once');
});

test('which fields a write changes is asked when a storm begins, and not before', async () => {
  const { passes, begun } = given();
  let asked = 0;
  const fields = () => {
    asked += 1;
    return [['spec', 'replicas']];
  };
  const write = { fields };
  await passes(10, () => ({ wanted: { replicas: 3 }, write }));
  assert.deepEqual([begun.length, asked], [0, 0]);
  await passes(5, () => ({ wanted: { replicas: 3 }, write }));
  assert.deepEqual([begun.length, asked], [1, 1]);
});

test('a storm gives an object one pass in five seconds, counted from the last', async () => {
  const { clock, storms, passes, pass } = given();
  await passes(11, () => ({ wanted: {} }));
  assert.equal(storms.waitMs(key), 5000);
  await clock.advance(4000);
  assert.equal(storms.waitMs(key), 1000);
  await clock.advance(2000);
  assert.equal(storms.waitMs(key), 0);
  await pass({ wanted: {} });
  assert.equal(storms.waitMs(key), 5000);
  assert.equal(storms.waitMs('default/other'), 0);
});

test('a storm is over when a minute has passed in which nothing was written in vain', async () => {
  const { clock, storms, calmed, pass, passes, begun } = given();
  await passes(11, () => ({ wanted: {} }));
  await clock.advance(59_000);
  await pass({ wanted: {} });
  await clock.advance(2000);
  assert.deepEqual([calmed, storms.count], [[], 1], 'one write in vain, two seconds ago');
  await clock.advance(60_000);
  assert.deepEqual([calmed, storms.count, storms.waitMs(key)], [[key], 0, 0]);
  await passes(10, () => ({ wanted: {} }));
  assert.equal(begun.length, 2, 'and can begin again');
});

test('writes in vain that lie more than a minute apart do not add up', async () => {
  const { clock, begun, pass } = given();
  for (let i = 0; i < 30; i++) {
    await pass({ wanted: {} });
    await clock.advance(7000);
  }
  assert.deepEqual(begun, []);
});

test('what goes back and forth between two values gets nowhere, too', async () => {
  const { begun, passes } = given();
  await passes(12, (i) => ({ causes: ['timer'], wanted: { seen: i % 2 } }));
  assert.equal(begun.length, 1);
  assert.match(
    begun[0]?.message ?? '',
    /^This operator writes something of the status again and again and gets nowhere; woken by: timer;/,
  );
});

test('a report that says something new each time is no storm, unless its own last version woke it', async () => {
  const own = 'Widget default/a updated';
  for (const [causes, resourceVersion, storms] of [
    [[own], '1', 1],
    [[own, 'Pod default/p updated'], '1', 0],
    [[own], '3', 0],
    [[], '1', 0],
  ] as const) {
    const { begun, passes } = given();
    await passes(15, (i) => ({
      causes,
      wanted: { seen: i },
      write: { live: object(1, resourceVersion) },
      result: object(1, '1'),
    }));
    assert.equal(begun.length, storms, JSON.stringify([causes, resourceVersion]));
  }
  const { begun, passes } = given();
  await passes(15, (i) => ({ wanted: { seen: i }, write: { live: undefined } }));
  assert.equal(begun.length, 0, 'there is nothing to write over');
});

test('a description that changes though nothing was asked for is a storm; a change of the object is none', async () => {
  const write = {
    isDescription: true,
    target: 'Pod default/p',
    fields: () => ['a', 'b', 'c', 'd'].map((name) => [name]),
  };
  const restless = given();
  await restless.passes(11, (i) => ({ causes: ['b', 'a', 'a'], wanted: { now: i }, write }));
  assert.deepEqual(
    restless.begun.map(({ message, fields, managers }) => ({ message, fields, managers })),
    [
      {
        message:
          'This operator writes a, b, c of Pod default/p again and again and gets nowhere; woken by: a, b; it has one pass in 5 s from now on',
        fields: ['a', 'b', 'c'],
        managers: [],
      },
    ],
  );
  const asked = given();
  await asked.passes(30, (i) => ({ wanted: { now: i }, write, generation: i }));
  assert.deepEqual(asked.begun, [], 'each has a generation of its own');
  const edited = given();
  await edited.passes(9, (i) => ({ wanted: { now: i }, write, generation: 1 }));
  await edited.passes(9, (i) => ({ wanted: { now: i }, write, generation: 2 }));
  assert.deepEqual(edited.begun, [], 'a change begins anew');
});

test('passes without end that write nothing are a storm; those that were asked for are none', async () => {
  const idle = given();
  await idle.passes(200, () => ({ causes: ['Pod default/p updated'] }));
  assert.deepEqual(idle.begun, []);
  await idle.passes(1, () => ({ causes: ['Pod default/p updated'] }));
  assert.deepEqual(
    idle.begun.map(({ message, target, fields }) => ({ message, target, fields })),
    [
      {
        message:
          'Passes without end that write nothing; woken by: Pod default/p updated; it has one pass in 5 s from now on',
        target: undefined,
        fields: [],
      },
    ],
  );
  await idle.clock.advance(60_000);
  assert.deepEqual(idle.calmed, [], 'two a second are allowed, so the rest is gone later');
  await idle.clock.advance(60_000);
  assert.deepEqual(idle.calmed, [key]);
  const asked = given();
  await asked.passes(500, () => ({ causes: ['requeue'] }));
  assert.deepEqual(asked.begun, []);
  const writing = given();
  await writing.passes(500, (i) => ({ causes: ['timer'], wanted: { seen: i } }));
  assert.deepEqual(writing.begun, []);
  const slow = given();
  for (let i = 0; i < 500; i++) {
    await slow.pass();
    await slow.clock.advance(500);
  }
  assert.deepEqual(slow.begun, []);
});

test('the causes that came most often are named first, of the last fifty, and three of them in the message', async () => {
  const { begun, passes } = given();
  await passes(20, () => ({ causes: ['old', 'old'] }));
  await passes(181, (i) => ({ causes: [['a', 'b', 'b', 'c', 'c', 'c', 'd', 'd', 'd', 'd'][i % 10] ?? ''] }));
  assert.deepEqual(begun[0]?.causes, ['d', 'c', 'b', 'a']);
  assert.match(begun[0]?.message ?? '', /woken by: d, c, b;/);
});

test('what is forgotten is not slowed, and leaves no timer', async () => {
  const { clock, storms, calmed, passes } = given();
  await passes(11, () => ({ wanted: {} }));
  storms.forget(key);
  storms.ended(key);
  await storms.beforeWrite(key, {} as PlannedWrite);
  storms.written(key, 'x', {}, object());
  assert.deepEqual([storms.count, storms.waitMs(key)], [0, 0]);
  await passes(11, () => ({ wanted: {} }));
  storms.close();
  assert.equal(storms.count, 0);
  await clock.advance(600_000);
  assert.deepEqual(calmed, []);
});

test('of causes that come again, each is held once for an object', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const storms = given().storms;
  const heldMb = () => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = heldMb();
  for (let pass = 0; pass < 50; pass++) {
    for (let i = 0; i < 100; i++)
      storms.begin(`default/${i}`, object(1), [Buffer.alloc(10_000, 'x').toString('latin1')]);
  }
  const held = heldMb() - before;
  assert.ok(held < 10, `${held} MB for 100 objects with a cause of 10 kB; 50 of each would be 50 MB`);
  storms.close();
});
