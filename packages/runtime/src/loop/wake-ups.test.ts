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
  wakeUps.add('initial', 'added', { initial: true });
  wakeUps.add('changed', 'updated');
  wakeUps.addAfter('later', 50, 'requeue');
  const working = work();
  await clock.advance(50);
  assert.deepEqual(taken, ['changed at 0', 'initial at 0', 'later at 50']);
  wakeUps.close();
  await working;
  assert.equal(taken.at(-1), 'closed');
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
  let taken = 0;
  const queue = {
    taken() {
      taken += 1;
    },
  };
  const counting = { ...metrics, queue } as unknown as ControllerMetrics;
  const { clock, wakeUps, work } = given({ rateLimit: { passes: 1, perMs: 500 }, metrics: counting });
  void work();
  for (const delayMs of [0, 100, 100, 100, 199]) {
    await clock.advance(delayMs);
    wakeUps.add('a', 'x');
    await clock.settle();
  }
  assert.equal(taken, 1);
  await clock.advance(1);
  assert.equal(taken, 2);
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
