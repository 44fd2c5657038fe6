import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '@keelson/testing';
import { aborted } from '../serving/aborted.ts';
import { stopSchedule } from './stop-schedule.ts';

const partsOf = ({ passes, patience, requests, all }: ReturnType<typeof stopSchedule>) =>
  [passes, patience, requests, all].map((signal) => signal.aborted);

test('each part of a stop has its share of the grace period, counted from the signal', async () => {
  for (const isEarly of [true, false]) {
    const clock = new VirtualClock();
    const stop = new AbortController();
    if (isEarly) stop.abort();
    using schedule = stopSchedule(stop.signal, clock, 10_000);
    if (!isEarly) {
      await clock.advance(60_000);
      stop.abort();
    }
    await clock.advance(7999);
    assert.deepEqual(partsOf(schedule), [false, false, false, false]);
    await clock.advance(1);
    assert.deepEqual(partsOf(schedule), [true, false, false, false]);
    await clock.advance(400);
    assert.deepEqual(partsOf(schedule), [true, true, false, false]);
    await clock.advance(1400);
    assert.deepEqual(partsOf(schedule), [true, true, true, false]);
    await clock.advance(200);
    assert.deepEqual(partsOf(schedule), [true, true, true, true]);
    assert.match(String(schedule.passes.reason), /The operator stopped before this had finished/);
  }
});

test('a schedule that is disposed aborts nothing', async () => {
  for (const isEarly of [true, false]) {
    const clock = new VirtualClock();
    const stop = new AbortController();
    if (isEarly) stop.abort();
    const schedule = stopSchedule(stop.signal, clock, 1000);
    schedule[Symbol.dispose]();
    stop.abort();
    await clock.advance(10_000);
    assert.deepEqual(partsOf(schedule), [false, false, false, false]);
  }
});

test('the end of a signal can be waited for, also when it has come', async () => {
  const stop = new AbortController();
  let isOver = false;
  const waiting = aborted(stop.signal).then(() => {
    isOver = true;
  });
  await Promise.resolve();
  assert.equal(isOver, false);
  stop.abort();
  await waiting;
  await aborted(stop.signal);
});
