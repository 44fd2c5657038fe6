import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/manual-clock.ts';
import { TokenBucket } from './token-bucket.ts';

test('a bucket lets a burst through and then holds back by its rate', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 5, burst: 3 }, clock);
  assert.deepEqual(
    Array.from({ length: 5 }, () => bucket.reserve()),
    [0, 0, 0, 200, 400],
  );
  await clock.advance(1000);
  assert.deepEqual(
    Array.from({ length: 4 }, () => bucket.reserve()),
    [0, 0, 0, 200],
  );
});

test('a token that would come too late is not taken, and one that is not used can be given back', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 10, burst: 1 }, clock);
  assert.equal(bucket.reserve(0), 0, 'one that is there comes in time');
  for (let i = 0; i < 1000; i++) assert.equal(bucket.reserve(100), undefined);
  assert.equal(bucket.reserve(101), 100);
  assert.equal(bucket.reserve(), 200);
  bucket.giveBack();
  bucket.giveBack();
  assert.equal(bucket.reserve(), 100);
  await clock.advance(60_000);
  bucket.giveBack();
  assert.deepEqual([bucket.reserve(), bucket.reserve()], [0, 100], 'never more than the burst');
});

test('a bucket never holds more than its burst, and can refuse instead', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 1, burst: 2 }, clock);
  await clock.advance(60_000);
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
  await clock.advance(1000);
  assert.deepEqual([bucket.tryTake(), bucket.tryTake()], [true, false]);
});

test('a bucket is full until somebody takes a token, and again when that is refilled', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 1, burst: 2 }, clock);
  assert.equal(bucket.isFull, true);
  bucket.tryTake();
  await clock.advance(999);
  assert.equal(bucket.isFull, false);
  await clock.advance(1);
  assert.equal(bucket.isFull, true);
});
