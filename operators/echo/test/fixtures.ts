/** Objects as the API server would return them, for tables. */
import type { CronJob, Job, JobStatus } from '@keelson/core/batch/v1';
import type { Echo, ScheduledEcho } from '../src/api/v1alpha1.ts';
import { desiredCronJob, desiredJob } from '../src/desired.ts';

const stored = (name: string, generation = 1) => ({
  name,
  namespace: 'default',
  uid: `uid-of-${name}`,
  resourceVersion: '1',
  creationTimestamp: '2026-01-01T00:00:00Z',
  generation,
});

export const image = 'busybox:1.33.1';

export const echo = (status?: Echo['status'], generation = 1): Echo => ({
  apiVersion: 'mmontes.io/v1alpha1',
  kind: 'Echo',
  metadata: stored('hello', generation),
  spec: { message: 'Hello, world!' },
  ...(status && { status }),
});

export const scheduledEcho = (spec: Partial<ScheduledEcho['spec']> = {}): ScheduledEcho => ({
  apiVersion: 'mmontes.io/v1alpha1',
  kind: 'ScheduledEcho',
  metadata: stored('hello'),
  spec: { message: 'Hello, world!', schedule: '* * * * *', ...spec },
});

export const job = (status: JobStatus): Job => {
  const { spec } = desiredJob(echo(), image);
  if (spec === undefined) throw new Error('the Job has no spec');
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: stored('hello-1'), spec, status };
};

export const cronJob = (spec: Partial<ScheduledEcho['spec']> = {}, status: CronJob['status'] = {}): CronJob => {
  const desired = desiredCronJob(scheduledEcho(spec), image);
  if (desired.spec === undefined) throw new Error('the CronJob has no spec');
  return { apiVersion: 'batch/v1', kind: 'CronJob', metadata: stored('hello'), spec: desired.spec, status };
};
