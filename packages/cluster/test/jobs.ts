/** Jobs and CronJobs for tables: small, valid, and as the server would return them. */
import type { CronJob, Job } from '@keelson/core/batch/v1';

interface JobChanges {
  readonly metadata?: Partial<Job['metadata']>;
  readonly spec?: Partial<Job['spec']>;
  readonly status?: Partial<Job['status']>;
}

export function job({ metadata, spec, status }: JobChanges = {}): Job {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'work',
      namespace: 'default',
      uid: 'work',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'work:1' }] } },
      ...spec,
    },
    status: { ...status },
  };
}

interface CronJobChanges {
  readonly spec?: Partial<CronJob['spec']>;
  readonly status?: Partial<CronJob['status']>;
}

export function cronJob({ spec, status }: CronJobChanges = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { ...job().metadata, name: 'tick', uid: 'tick' },
    spec: { schedule: '0 * * * *', jobTemplate: { spec: job().spec }, ...spec },
    status: { ...status },
  };
}
