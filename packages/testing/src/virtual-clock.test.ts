import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleep, timestamp } from '@keelson/core';
import { seededRandom } from './seeded-random.ts';
import { VirtualClock } from './virtual-clock.ts';

test('time stands still until it is moved, and moves by as much as asked for', async () => {
  const clock = new VirtualClock();
  assert.equal(timestamp(clock.now()), '2026-01-01T00:00:00Z');
  await clock.settle();
  assert.equal(clock.monotonic(), 0);
  await clock.advance(1500);
  assert.equal(clock.monotonic(), 1500);
  assert.equal(timestamp(clock.now()), '2026-01-01T00:00:01Z');
});

test('timers fire in order of their due times, those of one instant in the order they were set', async () => {
  const clock = new VirtualClock();
  const fired: string[] = [];
  const at = (ms: number, name: string) => clock.setTimer(ms, () => fired.push(`${name}@${clock.monotonic()}`));
  at(20, 'c');
  at(10, 'a');
  at(10, 'b');
  at(30, 'late');
  at(5, 'cancelled')[Symbol.dispose]();
  await clock.advance(20);
  assert.deepEqual(fired, ['a@10', 'b@10', 'c@20']);
});

test('what one timer starts has ended before the next one fires', async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const started = async () => {
    for (let i = 0; i < 50; i += 1) await Promise.resolve();
    log.push('fifty turns later');
    await sleep(clock, 5);
    log.push(`slept until ${clock.monotonic()}`);
  };
  clock.setTimer(10, () => void started());
  clock.setTimer(11, () => log.push('the next timer'));
  await clock.advance(100);
  assert.deepEqual(log, ['fifty turns later', 'the next timer', 'slept until 15']);
});

test('ten hours of a loop that sleeps take no time', async () => {
  const clock = new VirtualClock();
  let turns = 0;
  void (async () => {
    for (;;) {
      await sleep(clock, 60_000);
      turns += 1;
    }
  })();
  await clock.advance(10 * 3_600_000);
  assert.equal(turns, 600);
});

test('waiting for a state says how long it took, and gives up when it cannot come', async () => {
  const clock = new VirtualClock();
  let ready = false;
  clock.setTimer(250, () => {
    ready = true;
  });
  assert.equal(await clock.advanceUntil(() => ready, 1000), 250);
  assert.equal(await clock.advanceUntil(() => false, 1000), undefined);
  assert.equal(clock.monotonic(), 250);
});

test('time stands still while something takes a breath, and what follows from it comes before the next timer', async () => {
  const clock = new VirtualClock();
  const log: string[] = [];
  const breathing = async () => {
    for (let i = 0; i < 3; i += 1) await clock.breathe();
    log.push(`breathed at ${clock.monotonic()}`);
  };
  clock.setTimer(10, () => void breathing());
  clock.setTimer(11, () => log.push('the next timer'));
  await clock.advance(20);
  assert.deepEqual(log, ['breathed at 10', 'the next timer']);
});

test('an interruption ends the present wait, or the next one, once', async () => {
  const clock = new VirtualClock();
  clock.setTimer(10, () => clock.interrupt(new Error('look here')));
  await assert.rejects(clock.advance(20), /look here/);
  assert.equal(clock.monotonic(), 10);
  await clock.advance(20);
  clock.interrupt(new Error('first'));
  clock.interrupt(new Error('second'));
  assert.equal(clock.takeInterruption()?.message, 'first');
  await clock.settle();
});

test('timers without a delay that go on for ever are an error', async () => {
  const clock = new VirtualClock();
  const again = () => void clock.setTimer(0, again);
  again();
  await assert.rejects(clock.advance(20), /^Error: Virtual time stands still at 0 ms: 50000 timers without a delay/);
});

test('the same seed gives the same numbers and UUIDs, another seed others', () => {
  const sample = (seed: number) => {
    const random = seededRandom(seed);
    return [random.next(), random.next(), random.uuid(), random.uuid()];
  };
  assert.deepEqual(sample(1), sample(1));
  assert.notDeepEqual(sample(1), sample(2));
  const numbers = Array.from(
    { length: 1000 },
    (() => {
      const random = seededRandom(7);
      return () => random.next();
    })(),
  );
  assert.ok(numbers.every((n) => n >= 0 && n < 1));
  assert.equal(new Set(numbers).size, 1000);
  assert.match(seededRandom(3).uuid(), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
