import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseCron } from '@keelson/core';
import { cronJob } from '../../test/jobs.ts';
import { lookBack, nextLookMs } from './due-time.ts';

const at = (time: string) => Date.parse(`2026-01-${time}Z`);
const hourly = parseCron('0 * * * *');

test('the last of the missed times is due, and how many there were is guessed', () => {
  const cases = [
    ['01T00:30:00', undefined, 'none'],
    ['01T01:00:00', '01T01:00:00', 'none'],
    ['01T01:59:59', '01T01:00:00', 'none'],
    ['01T02:30:00', '01T02:00:00', 'few'],
    ['04T12:30:00', '04T12:00:00', 'few'],
    ['06T12:30:00', '06T12:00:00', 'many'],
  ] as const;
  for (const [now, due, missed] of cases) {
    const back = lookBack(cronJob(), hourly, at(now), true);
    assert.deepEqual(
      back,
      {
        type: 'seen',
        earliestMs: at('01T00:00:00'),
        dueMs: due && at(due),
        missed,
      },
      now,
    );
  }
});

test('of an uneven schedule a guess that goes too far finds nothing, as in Kubernetes', () => {
  const uneven = parseCron('30 6-16/4 * * 1-5');
  const due = (now: string) => {
    const back = lookBack(cronJob(), uneven, at(now), true);
    return back.type === 'seen' && back.dueMs;
  };
  assert.equal(due('09T15:00:00'), at('09T14:30:00'));
  assert.equal(due('09T20:00:00'), undefined);
});

test('what was started before, or is older than the starting deadline, is not due', () => {
  const started = cronJob({ status: { lastScheduleTime: '2026-01-01T05:00:00Z' } });
  const back = lookBack(started, hourly, at('01T05:59:00'), true);
  assert.equal(back.type === 'seen' && back.dueMs, undefined);
  const strict = cronJob({ spec: { startingDeadlineSeconds: 600 } });
  const late = lookBack(strict, hourly, at('01T05:20:00'), true);
  assert.equal(late.type === 'seen' && late.dueMs, undefined);
  const early = lookBack(strict, hourly, at('01T05:05:00'), true);
  assert.equal(early.type === 'seen' && early.dueMs, at('01T05:00:00'));
});

test('it is looked at again a moment after the next time', () => {
  assert.equal(nextLookMs(cronJob(), hourly, at('01T00:30:00')), 30 * 60_000 + 100);
  assert.equal(nextLookMs(cronJob(), hourly, at('01T03:30:00')), 30 * 60_000 + 100);
  const started = cronJob({ status: { lastScheduleTime: '2026-01-01T05:00:00Z' } });
  assert.equal(nextLookMs(started, hourly, at('01T05:00:01')), 60 * 60_000 - 1000 + 100);
});

test('a day that never comes is never due', () => {
  const never = parseCron('0 0 31 2 *');
  assert.deepEqual(lookBack(cronJob(), never, at('01T00:30:00'), true), { type: 'impossible' });
  assert.equal(nextLookMs(cronJob(), never, at('01T00:30:00')), undefined);
});
