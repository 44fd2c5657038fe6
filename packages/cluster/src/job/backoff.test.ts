import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../../test/pods.ts';
import { nextBackoff, noBackoff, remainingMs, remainingMsAfter } from './backoff.ts';

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;
const ended = (second: number, annotations = {}) =>
  pod(`p${second}`, {
    metadata: { annotations },
    status: {
      containerStatuses: [
        {
          name: 'web',
          image: '',
          imageID: '',
          ready: false,
          restartCount: 0,
          state: { terminated: { exitCode: 1, finishedAt: at(second) } },
        },
      ],
    },
  });

test('each failure in a row doubles the delay, from ten seconds to ten minutes', () => {
  const delays = [0, 1, 2, 3, 6, 7, 40].map((failures) => remainingMs({ failures, lastFailureMs: 0 }, 0));
  assert.deepEqual(delays, [0, 10_000, 20_000, 40_000, 320_000, 600_000, 600_000]);
  assert.equal(remainingMs({ failures: 1, lastFailureMs: 1000 }, 4000), 7000);
  assert.equal(remainingMs({ failures: 1, lastFailureMs: 1000 }, 60_000), 0);
});

test('a success forgets the failures before it', () => {
  const two = nextBackoff(noBackoff, [], [ended(5), ended(3)]);
  assert.deepEqual(two, { failures: 2, lastFailureMs: Date.parse(at(5)) });
  assert.deepEqual(nextBackoff(two, [], []), two);
  assert.deepEqual(nextBackoff(two, [ended(8)], [ended(7), ended(9)]), {
    failures: 1,
    lastFailureMs: Date.parse(at(9)),
  });
  assert.deepEqual(nextBackoff(two, [ended(8)], [ended(8)]), noBackoff);
});

test('an index remembers its failures in its last pod, ignored ones too', () => {
  const counts = {
    'batch.kubernetes.io/job-index-failure-count': '1',
    'batch.kubernetes.io/job-index-ignored-failure-count': '1',
  };
  assert.equal(remainingMsAfter(undefined, 0), 0);
  assert.equal(remainingMsAfter(ended(0, counts), Date.parse(at(10))), 30_000);
});
