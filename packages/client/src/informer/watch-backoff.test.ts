import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock, steadyRandom } from '../../test/manual-clock.ts';
import { WatchBackoff } from './watch-backoff.ts';

const options = { baseMs: 800, maxMs: 30_000, resetAfterMs: 120_000 };

test('backoff doubles up to its ceiling', () => {
  const backoff = new WatchBackoff(options, new ManualClock(), steadyRandom(0));
  assert.deepEqual(
    Array.from({ length: 8 }, () => backoff.next()),
    [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000],
  );
});

test('backoff is spread over twice the delay', () => {
  assert.equal(new WatchBackoff(options, new ManualClock(), steadyRandom(0.5)).next(), 1200);
});

test('backoff starts over after two healthy minutes, and the wait itself is none', async () => {
  const clock = new ManualClock();
  const backoff = new WatchBackoff(options, clock, steadyRandom(0));
  backoff.next();
  await clock.advance(800 + 120_000);
  assert.equal(backoff.next(), 1600);
  await clock.advance(1600 + 120_001);
  assert.equal(backoff.next(), 800);
});
