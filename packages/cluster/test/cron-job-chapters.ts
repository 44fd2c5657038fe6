/**
 * The story of CronJobs, chapter by chapter, for any cluster. Nobody waits for a time to come: the story says that a
 * CronJob last ran years ago, and what is due since then is made up for at once.
 */
import type { Client } from '@keelson/client';
import { keyOf, timestamp } from '@keelson/core';
import { CronJob, type CronJobSpec, Job } from '@keelson/core/batch/v1';
import type { Server } from './behaviour.ts';
import { type Chapter, readNamespace } from './chapters.ts';
import { end, podSpec, podsIn, running } from './job-chapters.ts';

const [july, june, may] = ['0 0 1 7 *', '0 0 1 6 *', '0 0 1 5 *'];

const dayMs = 86_400_000;

/** A CronJob that rests, and then goes on as if it had last run so many days ago. */
async function newCronJob(client: Client, namespace: string, spec: Partial<CronJobSpec> = {}, days = 600) {
  const made = await client.create(CronJob, {
    metadata: { namespace, name: 'tick' },
    spec: {
      schedule: july,
      suspend: true,
      jobTemplate: {
        metadata: { labels: { app: 'tick' }, annotations: { note: 'hello' } },
        spec: { template: { spec: podSpec } },
      },
      ...spec,
    },
  });
  await lastRan(client, made, days);
  await client.patch(CronJob, keyOf(made), { spec: { suspend: false } });
  return made;
}

const lastRan = (client: Client, { metadata }: CronJob, days: number) => {
  const lastScheduleTime = timestamp(Date.parse(metadata.creationTimestamp) - days * dayMs);
  const key = `${metadata.namespace}/${metadata.name}`;
  return client.patch(CronJob, key, { status: { lastScheduleTime } } as never, { subresource: 'status' });
};

/** Another schedule, and so another time that was missed. */
async function reschedule(client: Client, cronJob: CronJob, schedule: string): Promise<void> {
  await client.patch(CronJob, keyOf(cronJob), { spec: { schedule } });
  await lastRan(client, cronJob, 600);
}

const jobsIn = async (client: Client, namespace: string) => (await client.list(Job, { namespace })).items;

/** The CronJob's status, when it is like this. */
const seen = ({ client, eventually }: Server, cronJob: CronJob, holds: (status: CronJob['status']) => boolean) =>
  eventually('the CronJob to notice', async () => holds((await client.get(CronJob, keyOf(cronJob))).status));

/** The pods of deleted Jobs are gone. */
const podsLeft = ({ client, eventually }: Server, namespace: string, count: number) =>
  eventually(`${count} pods to be left`, async () => (await podsIn(client, namespace)).length === count);

/** As many Jobs run, each with its pod. */
async function settled(server: Server, cronJob: CronJob, count: number): Promise<void> {
  const { namespace } = cronJob.metadata;
  await seen(server, cronJob, hasActive(count));
  await running(server, namespace, count);
  await podsLeft(server, namespace, count);
  await server.eventually('the Jobs to notice', async () => {
    const jobs = await jobsIn(server.client, namespace);
    return jobs.filter(({ status }) => status.active === 1 && status.ready === 1).length === count;
  });
}

const hasActive = (count: number) => (status: CronJob['status']) => (status.active ?? []).length === count;

/** Ends the only pod, and waits until the CronJob has seen it. */
async function finish(server: Server, cronJob: CronJob, exitCode: number): Promise<void> {
  for (const pod of await running(server, cronJob.metadata.namespace, 1)) await end(server.client, pod, exitCode);
  await seen(server, cronJob, hasActive(0));
}

export const cronJobChapters: Readonly<Record<string, Chapter>> = {
  'a time that was missed': async (server, namespace) => {
    const cronJob = await newCronJob(server.client, namespace, { timeZone: 'Europe/Berlin' });
    await settled(server, cronJob, 1);
    const started = await readNamespace(server, namespace, { SuccessfulCreate: 2 });
    await finish(server, cronJob, 0);
    return [started, await readNamespace(server, namespace, { Completed: 1, SawCompletedJob: 1, SuccessfulCreate: 2 })];
  },
  'too many times that were missed': async (server, namespace) => {
    const cronJob = await newCronJob(server.client, namespace, { schedule: '@daily' });
    await settled(server, cronJob, 1);
    return readNamespace(server, namespace, { SuccessfulCreate: 2, TooManyMissedTimes: 1 });
  },
  'a time that is long past': async (server, namespace) => {
    const { client } = server;
    await newCronJob(client, namespace, { startingDeadlineSeconds: 3600 });
    const other = { metadata: { namespace, name: 'tick-tock' }, spec: { schedule: june, suspend: true } };
    const jobTemplate = { spec: { template: { spec: podSpec } } };
    await client.create(CronJob, { ...other, spec: { ...other.spec, jobTemplate } });
    return readNamespace(server, namespace, {});
  },
  'one at a time': async (server, namespace) => {
    const cronJob = await newCronJob(server.client, namespace, { concurrencyPolicy: 'Forbid' });
    await settled(server, cronJob, 1);
    await reschedule(server.client, cronJob, june);
    return readNamespace(server, namespace, { JobAlreadyActive: 1, SuccessfulCreate: 2 });
  },
  'the next in place of the last': async (server, namespace) => {
    const { client } = server;
    const cronJob = await newCronJob(client, namespace, { concurrencyPolicy: 'Replace' });
    await settled(server, cronJob, 1);
    const [first] = await jobsIn(client, namespace);
    await reschedule(client, cronJob, june);
    await server.eventually('the other Job alone', async () => {
      const jobs = await jobsIn(client, namespace);
      return jobs.length === 1 && jobs[0]?.metadata.uid !== first?.metadata.uid;
    });
    await settled(server, cronJob, 1);
    return readNamespace(server, namespace, { SuccessfulCreate: 4, SuccessfulDelete: 1 });
  },
  'side by side': async (server, namespace) => {
    const { client } = server;
    const cronJob = await newCronJob(client, namespace);
    await settled(server, cronJob, 1);
    await reschedule(client, cronJob, june);
    await settled(server, cronJob, 2);
    return readNamespace(server, namespace, { SuccessfulCreate: 4 });
  },
  'no more history than asked for': async (server, namespace) => {
    const { client } = server;
    const cronJob = await newCronJob(client, namespace, { successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
    await finish(server, cronJob, 0);
    for (const schedule of [june, may]) {
      await reschedule(client, cronJob, schedule);
      await seen(server, cronJob, hasActive(1));
      await finish(server, cronJob, 0);
    }
    await server.eventually('one Job', async () => (await jobsIn(client, namespace)).length === 1);
    await podsLeft(server, namespace, 1);
    await seen(server, cronJob, ({ lastSuccessfulTime }) => lastSuccessfulTime !== undefined);
    return readNamespace(server, namespace, {
      Completed: 3,
      SawCompletedJob: 3,
      SuccessfulCreate: 6,
      SuccessfulDelete: 2,
    });
  },
  'a job that is gone': async (server, namespace) => {
    const { client } = server;
    const cronJob = await newCronJob(client, namespace);
    await settled(server, cronJob, 1);
    for (const job of await jobsIn(client, namespace)) {
      await client.delete(Job, keyOf(job), { propagationPolicy: 'Background' });
    }
    await seen(server, cronJob, hasActive(0));
    await podsLeft(server, namespace, 0);
    return readNamespace(server, namespace, { MissingJob: 1, SuccessfulCreate: 2 });
  },
};
