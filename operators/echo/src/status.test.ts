import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, NotControlledError } from '@keelson/core';
import type { JobCondition } from '@keelson/core/batch/v1';
import { cronJob, echo, job, scheduledEcho } from '../test/fixtures.ts';
import { isOver, newsOf, statusOf, type Told, toldOfCronJob, toldOfFailure, toldOfJob } from './status.ts';

const verdict = ({ conditions }: Told) => conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`);
const ended = (type: string, message?: string): JobCondition => ({ type, status: 'True', ...(message && { message }) });
const failed = job({ conditions: [ended('Failed', 'Job has reached the specified backoff limit')] });
const complete = job({ conditions: [ended('Complete')], completionTime: '2026-01-01T00:00:09Z' });

test('an Echo is told by its Job', () => {
  for (const [seen, expected] of [
    [job({}), ['Complete=False Running', 'Degraded=False AsExpected']],
    [job({ conditions: [ended('Suspended')] }), ['Complete=False Running', 'Degraded=False AsExpected']],
    [
      job({ conditions: [{ type: 'Complete', status: 'False' }] }),
      ['Complete=False Running', 'Degraded=False AsExpected'],
    ],
    [complete, ['Complete=True Printed', 'Degraded=False AsExpected']],
    [failed, ['Complete=False JobFailed', 'Degraded=True JobFailed']],
  ] as const) {
    assert.deepEqual(verdict(toldOfJob(seen)), expected);
  }
  assert.deepEqual(toldOfJob(complete).fields, { job: 'hello-1', completionTime: '2026-01-01T00:00:09Z' });
  assert.equal(toldOfJob(failed).conditions[1]?.message, 'The Job failed: Job has reached the specified backoff limit');
});

test('an Echo is over when its message was printed or has failed, and not for another message', () => {
  const after = (seen: Told, generation = 1) => echo(statusOf(echo(), seen, 0) as never, generation);
  assert.equal(isOver(echo()), false);
  assert.equal(isOver(after(toldOfJob(job({})))), false);
  assert.equal(isOver(after(toldOfJob(complete))), true);
  assert.equal(isOver(after(toldOfJob(failed))), true);
  assert.equal(isOver(after(toldOfJob(complete), 2)), false);
  assert.equal(isOver(after(toldOfJob(failed), 2)), false);
});

test('a ScheduledEcho is told by its CronJob', () => {
  const times = { lastScheduleTime: '2026-01-01T00:01:00Z', lastSuccessfulTime: '2026-01-01T00:01:05Z' };
  const told = toldOfCronJob(cronJob({}, times));
  assert.deepEqual(verdict(told), ['Scheduled=True Scheduled', 'Degraded=False AsExpected']);
  assert.deepEqual(told.fields, { cronJob: 'hello', ...times });
  assert.deepEqual(verdict(toldOfCronJob(cronJob({ suspend: true }))), [
    'Scheduled=False Suspended',
    'Degraded=False AsExpected',
  ]);
});

test('a failure is told with a reason for programs, and what was known stays', () => {
  const refusal = (code: number, reason: string, message: string) =>
    new ApiError('create jobs a/b', { code, reason, message });
  const owner = { kind: 'Echo', key: 'default/hello' };
  for (const [error, reason] of [
    [new Error('the server is on fire'), 'ReconcileFailed'],
    ['odd', 'ReconcileFailed'],
    [new NotControlledError(complete, owner), 'JobNotControlled'],
    [refusal(422, 'Invalid', 'CronJob.batch "a" is invalid: spec.schedule: Invalid value'), 'InvalidSchedule'],
    [refusal(422, 'Invalid', 'CronJob.batch "a" is invalid: spec.timeZone: Invalid value'), 'InvalidTimeZone'],
    [refusal(422, 'Invalid', 'Job.batch "a" is invalid: spec.x: Invalid value'), 'Invalid'],
    [refusal(403, 'Forbidden', 'jobs.batch "a" is forbidden: exceeded quota: none'), 'QuotaExceeded'],
    [
      refusal(403, 'Forbidden', 'unable to create new content in namespace a because it is being terminated'),
      'NamespaceTerminating',
    ],
    [refusal(403, 'Forbidden', 'User "a" cannot create resource "jobs"'), 'Forbidden'],
  ] as const) {
    assert.equal(verdict(toldOfFailure(echo(), error))[1], `Degraded=True ${reason}`);
  }
  const known = echo(statusOf(echo(), toldOfJob(job({})), 0) as never);
  assert.equal(verdict(toldOfFailure(known, new Error('x')))[0], 'Complete=False Running');
  assert.deepEqual(toldOfFailure(known, new Error('x')).fields, { job: 'hello-1' });
  assert.equal(verdict(toldOfFailure(echo(known.status, 2), new Error('x')))[0], 'Complete=Unknown ReconcileFailed');
  assert.equal(verdict(toldOfFailure(scheduledEcho(), new Error('x')))[0], 'Scheduled=Unknown ReconcileFailed');
});

test('a user is told what is new, and nothing twice', () => {
  const news = (before: Told | undefined, now: Told) =>
    newsOf(echo(before && (statusOf(echo(), before, 0) as never)), now).map(({ type, reason }) => `${type} ${reason}`);
  const running = toldOfJob(job({}));
  const broken = toldOfFailure(echo(), new Error('x'));
  assert.deepEqual(news(undefined, running), []);
  assert.deepEqual(news(running, toldOfJob(complete)), ['Normal Printed']);
  assert.deepEqual(news(toldOfJob(complete), toldOfJob(complete)), []);
  assert.deepEqual(news(running, broken), ['Warning ReconcileFailed']);
  assert.deepEqual(news(broken, broken), []);
  assert.deepEqual(news(broken, running), ['Normal Recovered']);
});

test('the time of a condition changes when its status does, and what is unknown is left out', () => {
  const first = statusOf(echo(), toldOfJob(job({})), Date.UTC(2026, 0, 1));
  assert.deepEqual(Object.keys(first), ['job', 'observedGeneration', 'conditions']);
  const second = statusOf(echo(first as never), toldOfJob(complete), Date.UTC(2026, 0, 2));
  assert.deepEqual(
    second.conditions.map(({ lastTransitionTime }) => lastTransitionTime),
    ['2026-01-02T00:00:00Z', '2026-01-01T00:00:00Z'],
  );
});
