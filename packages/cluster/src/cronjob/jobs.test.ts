import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cronJob, job } from '../../test/jobs.ts';
import { jobAt, outdatedJobs } from './jobs.ts';

test('a Job is named after its minute, and told its time where the schedule is', () => {
  const made = jobAt(cronJob({ spec: { timeZone: 'Europe/Berlin' } }), Date.parse('2026-07-01T07:00:00Z'));
  assert.equal(made.metadata.name, 'tick-29714820');
  assert.deepEqual(made.metadata.annotations, {
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-07-01T09:00:00+02:00',
  });
});

test('the oldest of those that have ended go, of each sort so many', () => {
  const ended = (name: string, type: string, hour: number) =>
    job({
      metadata: { name },
      status: { startTime: `2026-01-01T0${hour}:00:00Z`, conditions: [{ type, status: 'True' }] },
    });
  const jobs = [
    ended('b', 'Complete', 2),
    ended('a', 'Complete', 1),
    ended('c', 'Complete', 3),
    ended('x', 'Failed', 4),
    job({ metadata: { name: 'runs' } }),
  ];
  const names = (successfulJobsHistoryLimit: number, failedJobsHistoryLimit: number) =>
    outdatedJobs(cronJob({ spec: { successfulJobsHistoryLimit, failedJobsHistoryLimit } }), jobs).map(
      ({ metadata }) => metadata.name,
    );
  assert.deepEqual(names(3, 1), []);
  assert.deepEqual(names(1, 0), ['a', 'b', 'x']);
});
