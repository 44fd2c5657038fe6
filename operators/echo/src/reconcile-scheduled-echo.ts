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
import { report } from './report.ts';
import { toldOfCronJob } from './status.ts';

export async function reconcileScheduledEcho(key: NamespacedName, context: EchoContext): Promise<void> {
  const echo = context.scheduledEchos.get(key);
  if (echo === undefined || echo.metadata.deletionTimestamp !== undefined) return;
  const present = context.cronJobs.get(key);
  if (present?.metadata.deletionTimestamp !== undefined) return;
  const cronJob = await keepCronJob(echo, present, context);
  await report(context, ScheduledEcho, echo, toldOfCronJob(cronJob));
}

async function keepCronJob(echo: ScheduledEcho, present: CronJob | undefined, context: EchoContext): Promise<CronJob> {
  const { client, record } = context;
  const desired = desiredCronJob(echo, context.image);
  let cronJob = present;
  if (cronJob === undefined) {
    try {
      // Not by apply, which would take over what somebody else has made in this moment.
      const made = await client.create(CronJob, desired);
      record(echo, { type: 'Normal', reason: 'CronJobCreated', message: `CronJob ${made.metadata.name} was made.` });
      return made;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      cronJob = await client.get(CronJob, keyOf(echo));
    }
  }
  if (!isControlledBy(cronJob, echo)) {
    throw new NotControlledError(cronJob, { kind: ScheduledEcho.kind, key: keyOf(echo) });
  }
  if (isAsDesired(cronJob, desired)) return cronJob;
  // With its uid, so that another of the same name is never meant.
  const metadata = { ...desired.metadata, uid: cronJob.metadata.uid };
  return await client.apply(CronJob, { ...desired, metadata }, { fieldManager: manager, force: true });
}

/** Whether an apply would change nothing: what we applied before is what we want, and nobody has changed it since. */
function isAsDesired(cronJob: CronJob, { metadata, spec }: NewCronJob): boolean {
  const fields = appliedEntryOf(cronJob, manager)?.fieldsV1 as FieldSet | undefined;
  const { labels, ownerReferences } = metadata;
  return fields !== undefined && equalJson(project(cronJob, fields), { metadata: { labels, ownerReferences }, spec });
}

/** The ScheduledEcho that a CronJob belongs to, as a key. */
export function scheduledEchoOf(cronJob: CronJob): NamespacedName | undefined {
  const owner = controllerOf(cronJob);
  return owner?.kind === ScheduledEcho.kind && owner.apiVersion.startsWith(`${ScheduledEcho.group}/`)
    ? `${cronJob.metadata.namespace}/${owner.name}`
    : undefined;
}
