/**
 * One pass over one Echo: there is a Job for its message, and its end is in the status.
 *
 * Promises: one Job for each message, whatever dies when. Its name follows from the generation, so that a second create
 * of the same Job is refused by the server; and a Job is kept until its end was written into the status, after which no
 * other is made. What a person deletes before that comes back.
 */
import {
  controllerOf,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  keyOf,
  type NamespacedName,
  NotControlledError,
} from '@keelson/core';
import { Job } from '@keelson/core/batch/v1';
import { Echo } from './api/v1alpha1.ts';
import { byController, type EchoContext } from './context.ts';
import { childLabels, desiredJob, jobName } from './desired.ts';
import { isLeaving } from './leaving.ts';
import { report } from './report.ts';
import { isOver, toldOfEnd, toldOfJob } from './status.ts';

export async function reconcileEcho(key: NamespacedName, context: EchoContext): Promise<void> {
  const echo = context.echos.get(key);
  // What is being deleted takes its Jobs with it, by the garbage collector.
  if (echo === undefined || echo.metadata.deletionTimestamp !== undefined) return;
  const jobs = context.jobs.byIndex(byController, echo.metadata.uid);
  const current = jobs.find(({ metadata }) => metadata.name === jobName(echo));
  for (const job of jobs) if (isOlder(job, echo)) await retire(job, context);
  if (isOver(echo)) {
    if (current !== undefined) await limit(current, context);
    return await report(context, Echo, echo, toldOfEnd(echo));
  }
  // One that is being deleted wakes us again when it is gone.
  if (current?.metadata.deletionTimestamp !== undefined) return;
  const job = current ?? (await makeJob(echo, context));
  if (job !== undefined) await report(context, Echo, echo, toldOfJob(job));
}

/** The Job, or none when it has to wait: the cache was behind, or an Echo before this one still leaves. */
async function makeJob(echo: Echo, { client, image, record }: EchoContext): Promise<Job | undefined> {
  // Of what the cache does not show yet, this would print again what was printed; then an event is on its way.
  const live = await client.find(Echo, keyOf(echo));
  const isSame = live?.metadata.uid === echo.metadata.uid && live.metadata.generation === echo.metadata.generation;
  if (live === undefined || !isSame || isOver(live)) return undefined;
  try {
    const job = await client.create(Job, desiredJob(echo, image));
    record(echo, { type: 'Normal', reason: 'JobCreated', message: `Job ${job.metadata.name} prints the message.` });
    return job;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const job = await client.find(Job, `${echo.metadata.namespace}/${jobName(echo)}`);
    if (job === undefined || isLeaving(job, Echo, echo)) return undefined;
    if (!isControlledBy(job, echo)) throw new NotControlledError(job, { kind: Echo.kind, key: keyOf(echo) });
    // It is ours, and has lost the labels by which we see it.
    return await client.patch(Job, keyOf(job), { metadata: { uid: job.metadata.uid, labels: childLabels } });
  }
}

/** A Job of a message before this one. */
function isOlder({ metadata }: Job, echo: Echo): boolean {
  return Number(metadata.name.slice(echo.metadata.name.length + 1)) < (echo.metadata.generation ?? 1);
}

/** A Job of an older message: stopped if it still runs, and kept for a while if it has ended. */
async function retire(job: Job, context: EchoContext): Promise<void> {
  if (job.metadata.deletionTimestamp !== undefined) return;
  if (isFinished(job)) return await limit(job, context);
  const { uid } = job.metadata;
  await gone(context.client.delete(Job, keyOf(job), { preconditions: { uid }, propagationPolicy: 'Background' }));
}

/** Gives a finished Job the time after which the cluster removes it. */
async function limit(job: Job, { client, ttlSecondsAfterFinished }: EchoContext): Promise<void> {
  if (job.spec.ttlSecondsAfterFinished !== undefined || !isFinished(job)) return;
  await gone(client.patch(Job, keyOf(job), { metadata: { uid: job.metadata.uid }, spec: { ttlSecondsAfterFinished } }));
}

function isFinished({ status }: Job): boolean {
  return (
    status.conditions?.some(({ type, status: value }) => ['Complete', 'Failed'].includes(type) && value === 'True') ??
    false
  );
}

/** The work, when nothing being there is as good. */
async function gone(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** The Echo that a Job belongs to, as a key. */
export function echoOf(job: Job): NamespacedName | undefined {
  const owner = controllerOf(job);
  return owner?.kind === Echo.kind && owner.apiVersion.startsWith(`${Echo.group}/`)
    ? `${job.metadata.namespace}/${owner.name}`
    : undefined;
}
