/** The Jobs of a CronJob: how they are called and made, and which of those that have ended may go. */
import { controllerReference, zonedTimestamp } from '@keelson/core';
import { CronJob, type CronJobStatus, type Job, type NewJob } from '@keelson/core/batch/v1';
import { finishedCondition } from '../job/conditions.ts';

const scheduledTimestamp = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** The same for the same time, so that no Job is made twice. */
export const jobNameAt = ({ metadata }: CronJob, dueMs: number): string =>
  `${metadata.name}-${Math.floor(dueMs / 60_000)}`;

export function jobAt(cronJob: CronJob, dueMs: number): NewJob {
  const { metadata: { labels, annotations } = {}, spec } = cronJob.spec.jobTemplate;
  return {
    metadata: {
      name: jobNameAt(cronJob, dueMs),
      namespace: cronJob.metadata.namespace,
      ...(labels ? { labels } : {}),
      annotations: { ...annotations, [scheduledTimestamp]: zonedTimestamp(dueMs, cronJob.spec.timeZone ?? 'UTC') },
      ownerReferences: [controllerReference(CronJob, cronJob)],
    },
    spec,
  };
}

/** The oldest of those that have ended well and of those that have not, beyond what shall be kept of each. */
export function outdatedJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const beyond = (type: string, limit: number | undefined) => {
    const ended = jobs.filter((job) => finishedCondition(job)?.type === type).sort(byStart);
    return limit === undefined ? [] : ended.slice(0, Math.max(0, ended.length - limit));
  };
  return [...beyond('Complete', spec.successfulJobsHistoryLimit), ...beyond('Failed', spec.failedJobsHistoryLimit)];
}

/** A Job that has not started is the youngest. */
function byStart(a: Job, b: Job): number {
  const start = ({ status }: Job) => (status.startTime ? Date.parse(status.startTime) : Number.POSITIVE_INFINITY);
  const [left, right] = [start(a), start(b)];
  return left === right ? (a.metadata.name < b.metadata.name ? -1 : 1) : left < right ? -1 : 1;
}

export const isListed = ({ active = [] }: CronJobStatus, uid: string): boolean =>
  active.some((each) => each.uid === uid);

/** An empty list is none, as the server has it. */
export function withoutJob(status: CronJobStatus, uid: string): CronJobStatus {
  const { active = [], ...rest } = status;
  const left = active.filter((each) => each.uid !== uid);
  return left.length > 0 ? { ...rest, active: left } : rest;
}

export function withJob(status: CronJobStatus, { metadata }: Job): CronJobStatus {
  const { name, namespace, uid, resourceVersion } = metadata;
  const reference = { apiVersion: 'batch/v1', kind: 'Job', name, namespace, uid, resourceVersion };
  return { ...status, active: [...(status.active ?? []), reference] };
}
