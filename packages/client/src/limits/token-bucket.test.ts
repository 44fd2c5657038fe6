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

test('a bucket never holds more than its burst, and can refuse instead', async () => {
  const clock = new ManualClock();
  const bucket = new TokenBucket({ qps: 1, burst: 2 }, clock);
  await clock.advance(60_000);
  assert.deepEqual([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()], [true, true, false]);
  await clock.advance(1000);
  assert.deepEqual([bucket.tryTake(), bucket.tryTake()], [true, false]);
});
