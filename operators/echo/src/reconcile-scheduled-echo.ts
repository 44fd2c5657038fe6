/** One pass over one ScheduledEcho: there is a CronJob of its name as it asks for, and the status tells how it does. */
import {
  appliedEntryOf,
  controllerOf,
  equalJson,
  type FieldSet,
  isAlreadyExists,
  isControlledBy,
  keyOf,
  type NamespacedName,
  NotControlledError,
  project,
} from '@keelson/core';
import { CronJob, type NewCronJob } from '@keelson/core/batch/v1';
import { ScheduledEcho } from './api/v1alpha1.ts';
import { type EchoContext, manager } from './context.ts';
import { desiredCronJob } from './desired.ts';
import { isLeaving } from './leaving.ts';
import { report } from './report.ts';
import { toldOfCronJob } from './status.ts';

export async function reconcileScheduledEcho(key: NamespacedName, context: EchoContext): Promise<void> {
  const echo = context.scheduledEchos.get(key);
  if (echo === undefined || echo.metadata.deletionTimestamp !== undefined) return;
  const present = context.cronJobs.get(key) ?? (await makeCronJob(echo, context));
  if (present === undefined || isLeaving(present, ScheduledEcho, echo)) return; // it wakes us when it is gone
  if (!isControlledBy(present, echo)) {
    throw new NotControlledError(present, { kind: ScheduledEcho.kind, key: keyOf(echo) });
  }
  const cronJob = await keepCronJob(echo, present, context);
  await report(context, ScheduledEcho, echo, toldOfCronJob(cronJob));
}

/** Makes it, or finds what has the name. Not by apply, which would take over what somebody else makes in this moment. */
async function makeCronJob(echo: ScheduledEcho, { client, image, record }: EchoContext): Promise<CronJob | undefined> {
  try {
    const made = await client.create(CronJob, desiredCronJob(echo, image));
    record(echo, { type: 'Normal', reason: 'CronJobCreated', message: `CronJob ${made.metadata.name} was made.` });
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return await client.find(CronJob, keyOf(echo));
  }
}

async function keepCronJob(echo: ScheduledEcho, present: CronJob, { client, image }: EchoContext): Promise<CronJob> {
  const desired = desiredCronJob(echo, image);
  if (isAsDesired(present, desired)) return present;
  const { uid } = present.metadata;
  // With its uid, so that another of the same name is never meant.
  const applied = await client.apply(
    CronJob,
    { ...desired, metadata: { ...desired.metadata, uid } },
    { fieldManager: manager, force: true },
  );
  if (isAsDesired(applied, desired)) return applied;
  // What it was made with and asks for no more, an apply leaves in place.
  return await client.patch(CronJob, keyOf(echo), { metadata: { uid }, spec: { timeZone: null } });
}

/** Whether an apply would change nothing: what we applied before is what we want, and nobody has changed it since. */
function isAsDesired(cronJob: CronJob, { metadata, spec }: NewCronJob): boolean {
  const fields = appliedEntryOf(cronJob, manager)?.fieldsV1 as FieldSet | undefined;
  const { labels, ownerReferences } = metadata;
  return (
    fields !== undefined &&
    equalJson(project(cronJob, fields), { metadata: { labels, ownerReferences }, spec }) &&
    cronJob.spec.timeZone === spec?.timeZone
  );
}

/** The ScheduledEcho that a CronJob belongs to, as a key. */
export function scheduledEchoOf(cronJob: CronJob): NamespacedName | undefined {
  const owner = controllerOf(cronJob);
  return owner?.kind === ScheduledEcho.kind && owner.apiVersion.startsWith(`${ScheduledEcho.group}/`)
    ? `${cronJob.metadata.namespace}/${owner.name}`
    : undefined;
}
