import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@keelson/testing';
import type { ControllerMetrics } from '../metrics/metrics.ts';
import { WakeUps, type WakeUpsOptions } from './wake-ups.ts';

const metrics = { queue: {}, observe() {} } as unknown as ControllerMetrics;

function given(options: Partial<WakeUpsOptions> = {}) {
  const clock = new VirtualClock();
  const retry = { baseDelayMs: 10, maxDelayMs: 1000 };
  const wakeUps = new WakeUps({ retry, rateLimit: undefined, metrics, clock, ...options });
  const taken: string[] = [];
  const work = async () => {
    for (let item = await wakeUps.next(); item !== undefined; item = await wakeUps.next()) {
      taken.push(`${item.key} at ${clock.monotonic()}`);
      wakeUps.done(item.key);
    }
    taken.push('closed');
  };
  return { clock, wakeUps, taken, work };
}

test('what was there at the start waits behind what changes now', async () => {
  const { clock, wakeUps, taken, work } = given();
  wakeUps.add('initial', 'added', 'initial');
  wakeUps.add('changed', 'updated');
  wakeUps.addAfter('later', 50, 'requeue');
  const working = work();
  await clock.advance(50);
  assert.deepEqual(taken, ['changed at 0', 'initial at 0', 'later at 50']);
  wakeUps.close();
  await working;
  assert.equal(taken.at(-1), 'closed');
});

test('an object lets others go first that were there at the start, unless it would be kept back for long', async () => {
  let waitMs = 0;
  const { clock, wakeUps } = given({ waitMs: (key) => (key === 'slow' ? waitMs : 0) });
  wakeUps.add('changed', 'updated');
  wakeUps.addAfter('later', 50, 'requeue');
  await clock.advance(50);
  assert.equal(wakeUps.letsOthersGoFirst('slow'), false, 'nobody waits but what changes now, and a follow-up');
  wakeUps.add('first', 'added', 'initial');
  for (const [ms, expected] of [
    [0, true],
    [2000, true],
    [2001, false],
  ] as const) {
    waitMs = ms;
    assert.equal(wakeUps.letsOthersGoFirst('slow'), expected, String(ms));
  }
  waitMs = 0;
  await wakeUps.next();
  await wakeUps.next();
  assert.equal(wakeUps.letsOthersGoFirst('slow'), false, 'a worker has it');
  wakeUps.close();
});

/** How often the queue has handed an object to a worker, whatever came of that. */
function countingTaken() {
  let taken = 0;
  const queue = {
    taken() {
      taken += 1;
    },
  };
  return { metrics: { ...metrics, queue } as unknown as ControllerMetrics, taken: () => taken };
}

/** A worker whose passes end when told. */
function busyWorker(wakeUps: WakeUps) {
  const begun: string[] = [];
  let end = () => {};
  const work = async () => {
    for (let item = await wakeUps.next(); item !== undefined; item = await wakeUps.next()) {
      begun.push(item.key);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      wakeUps.done(item.key);
    }
  };
  void work();
  return { begun, end: () => end() };
}

test('follow-ups are gathered while others wait, for two seconds, and wait with what changes now then', async () => {
  const { clock, wakeUps } = given();
  const { begun, end } = busyWorker(wakeUps);
  const next = async () => {
    end();
    await clock.settle();
    return begun.at(-1);
  };
  wakeUps.add('a', 'added', 'initial');
  for (const key of ['b', 'c', 'd']) wakeUps.add(key, 'added', 'initial');
  await clock.settle();
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  assert.equal(await next(), 'b');
  await clock.advance(1999);
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  assert.equal(await next(), 'c', 'what comes later does not prolong it');
  await clock.advance(1);
  assert.equal(await next(), 'a');
  assert.equal(await next(), 'd');
  wakeUps.add('a', 'updated', 'follow-up');
  wakeUps.add('e', 'added', 'initial');
  wakeUps.add('a', 'edited');
  assert.equal(await next(), 'a', 'an edit is not gathered');
  assert.equal(await next(), 'e');
  await clock.advance(10_000);
  await next();
  assert.equal(begun.length, 7, 'one pass for all of them');
});

test('a worker that has nothing else takes a follow-up at once', async () => {
  const { clock, wakeUps, taken, work } = given();
  void work();
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  await clock.advance(5000);
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  await clock.advance(5000);
  assert.deepEqual(taken, ['a at 0', 'a at 5000']);
});

test('follow-ups under a rate limit are gathered after it, and one that it does not hold is gathered at once', async () => {
  const { clock, wakeUps } = given({ rateLimit: { passes: 1, perMs: 500 } });
  const { begun, end } = busyWorker(wakeUps);
  wakeUps.add('a', 'added');
  await clock.settle();
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  wakeUps.add('free', 'Deployment updated', 'follow-up');
  for (const key of ['b', 'c', 'd']) wakeUps.add(key, 'added', 'initial');
  end();
  await clock.advance(2000);
  end();
  await clock.advance(499);
  end();
  await clock.settle();
  assert.deepEqual(begun, ['a', 'b', 'free', 'c']);
  await clock.advance(1);
  end();
  await clock.settle();
  assert.deepEqual(begun, ['a', 'b', 'free', 'c', 'a']);
});

test('a follow-up that has to wait for other reasons is not handed to a worker before, and does not wait for ever', async () => {
  let waitMs = 0;
  const counting = countingTaken();
  const { clock, wakeUps } = given({ waitMs: (key) => (key === 'a' ? waitMs : 0), metrics: counting.metrics });
  const { begun, end } = busyWorker(wakeUps);
  wakeUps.add('busy', 'added');
  await clock.settle();
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  waitMs = 5000; // a storm began meanwhile
  end();
  await clock.advance(4999);
  assert.deepEqual([begun, counting.taken()], [['busy'], 2]);
  waitMs = 0;
  for (const key of ['x', 'y', 'z']) wakeUps.add(key, 'added', 'initial');
  await clock.advance(2000);
  end();
  await clock.advance(1);
  end();
  await clock.settle();
  assert.deepEqual(begun, ['busy', 'x', 'y', 'a']);
});

test('asking to be called again leaves what is gathered as it is', async () => {
  const { clock, wakeUps } = given();
  const { begun, end } = busyWorker(wakeUps);
  wakeUps.add('a', 'added');
  await clock.settle();
  wakeUps.add('a', 'Deployment updated', 'follow-up');
  wakeUps.addAfter('a', 60_000, 'requeue');
  for (const key of ['b', 'c']) wakeUps.add(key, 'added', 'initial');
  for (let i = 0; i < 3; i++) {
    end();
    await clock.settle();
  }
  assert.deepEqual(begun, ['a', 'b', 'c', 'a']);
  wakeUps.addAfter('d', 60_000, 'requeue');
  wakeUps.add('d', 'Deployment updated', 'follow-up');
  wakeUps.add('e', 'added', 'initial');
  end();
  await clock.settle();
  assert.equal(begun.at(-1), 'e');
});

test('a follow-up that failed is not gathered again, and an object of the start still waits', async () => {
  const { clock, wakeUps } = given();
  const { begun, end } = busyWorker(wakeUps);
  wakeUps.add('busy', 'added');
  await clock.settle();
  wakeUps.add('initial', 'added', 'initial');
  wakeUps.retry({ key: 'follow-up', priority: -200 });
  wakeUps.retry({ key: 'of the start', priority: -100 });
  await clock.advance(10);
  for (let i = 0; i < 3; i++) {
    end();
    await clock.settle();
  }
  assert.deepEqual(begun, ['busy', 'follow-up', 'initial', 'of the start']);
});

test('causes are kept once each, ten of them, until they are taken', () => {
  const { wakeUps } = given();
  wakeUps.add('a', 'one');
  wakeUps.addAfter('a', 1, 'two');
  wakeUps.noteCause('a', 'one');
  wakeUps.retry({ key: 'a', priority: 0 });
  assert.deepEqual(wakeUps.takeCauses('a'), ['one', 'two', 'retry']);
  assert.deepEqual(wakeUps.takeCauses('a'), []);
  for (let i = 0; i < 12; i++) wakeUps.noteCause('b', `cause ${i}`);
  assert.deepEqual(
    wakeUps.takeCauses('b'),
    Array.from({ length: 10 }, (_, i) => `cause ${i}`),
  );
});

test('a failure is retried later each time, until it succeeds or is forgotten', () => {
  const { wakeUps } = given();
  const item = { key: 'a', priority: 0 };
  assert.deepEqual([wakeUps.retry(item), wakeUps.retry(item), wakeUps.failures('a')], [10, 20, 2]);
  wakeUps.succeeded('a');
  assert.deepEqual([wakeUps.failures('a'), wakeUps.retry(item)], [0, 10]);
  wakeUps.forget('a');
  assert.equal(wakeUps.failures('a'), 0);
});

test('with a rate limit there are no more passes over one object than it allows, and other objects do not wait', async () => {
  const { clock, wakeUps, taken, work } = given({ rateLimit: { passes: 2, perMs: 1000 } });
  void work();
  const wake = async (key: string) => {
    wakeUps.add(key, 'x');
    await clock.settle();
  };
  await wake('a');
  await clock.advance(300);
  await wake('a');
  await wake('a');
  await wake('b');
  assert.deepEqual(taken, ['a at 0', 'a at 300', 'b at 300']);
  await clock.advance(699);
  assert.equal(taken.length, 3);
  await clock.advance(1);
  assert.equal(taken.at(-1), 'a at 1000');
  await wake('a');
  assert.equal(taken.length, 4, 'that at 300 counts');
  await clock.advance(300);
  assert.equal(taken.at(-1), 'a at 1300');
  await wake('a');
  assert.equal(taken.length, 5);
  wakeUps.forget('a');
  await wake('a');
  assert.deepEqual([taken.length, taken.at(-1)], [6, 'a at 1300'], 'another object of that name');
});

test('an object that has to wait is not handed to a worker before its time', async () => {
  const counting = countingTaken();
  const { clock, wakeUps, work } = given({ rateLimit: { passes: 1, perMs: 500 }, metrics: counting.metrics });
  void work();
  for (const delayMs of [0, 100, 100, 100, 199]) {
    await clock.advance(delayMs);
    wakeUps.add('a', 'x');
    await clock.settle();
  }
  assert.equal(counting.taken(), 1);
  await clock.advance(1);
  assert.equal(counting.taken(), 2);
});

test('a rate limit holds for what asks to be called again and for what failed, too', async () => {
  const { clock, wakeUps, taken, work } = given({ rateLimit: { passes: 1, perMs: 500 } });
  void work();
  wakeUps.add('a', 'x');
  await clock.settle();
  wakeUps.addAfter('a', 10, 'requeue');
  await clock.advance(499);
  assert.deepEqual(taken, ['a at 0']);
  await clock.advance(1);
  wakeUps.retry({ key: 'a', priority: 0 });
  await clock.advance(499);
  assert.deepEqual(taken, ['a at 0', 'a at 500']);
  await clock.advance(1);
  assert.deepEqual(taken, ['a at 0', 'a at 500', 'a at 1000']);
});

test('an object that has to wait for other reasons waits', async () => {
  let waitMs = 500;
  const { clock, wakeUps, taken, work } = given({ waitMs: () => waitMs, rateLimit: { passes: 1, perMs: 2000 } });
  void work();
  wakeUps.add('a', 'x');
  await clock.advance(499);
  waitMs = 0;
  assert.deepEqual(taken, []);
  await clock.advance(1);
  assert.deepEqual(taken, ['a at 500']);
});

test('who waits for an object in its way is found by that object, once, and not after it was forgotten', () => {
  const { wakeUps } = given();
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: 'then' },
  };
  wakeUps.waitFor({ kind: 'ConfigMap', key: 'ns/x' }, 'ns/a');
  wakeUps.waitFor({ kind: 'ConfigMap', key: 'ns/x' }, 'ns/b');
  wakeUps.waitFor({ kind: 'ConfigMap', key: 'ns/y' }, 'ns/c');
  wakeUps.forget('ns/c');
  wakeUps.forget('ns/a');
  assert.deepEqual(wakeUps.takeWaitingFor(object), ['ns/b']);
  assert.deepEqual(wakeUps.takeWaitingFor(object), []);
  assert.deepEqual(wakeUps.takeWaitingFor({ ...object, metadata: { ...object.metadata, name: 'y' } }), []);
});
