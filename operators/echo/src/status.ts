/** What a user is told about an Echo and a ScheduledEcho: pure functions from what was seen. */

import type { NewEvent } from '@keelson/client';
import type { Condition, ConditionInput, KubernetesObject } from '@keelson/core';
import { conditionOf, isForbidden, isInvalid, isNotControlled, setCondition } from '@keelson/core';
import type { CronJob, Job } from '@keelson/core/batch/v1';
import type { Echo } from './api/v1alpha1.ts';

/** Fields of a status beside its conditions, and the conditions as stated. */
export interface Told {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly conditions: readonly ConditionInput[];
}

const fine: ConditionInput = {
  type: 'Degraded',
  status: 'False',
  reason: 'AsExpected',
  message: 'Nothing is in the way.',
};

/** Whether the message of this generation was printed, or has failed for good: then its Job is not made again. */
export function isOver(echo: Echo): boolean {
  const { status, reason } = conditionOf(echo, 'Complete');
  return status === 'True' || (status === 'False' && reason === 'JobFailed');
}

/** The same again of one that is over: whatever failed since then has passed. */
export function toldOfEnd(echo: Echo): Told {
  const { job, completionTime } = echo.status ?? {};
  const complete = conditionOf(echo, 'Complete');
  const failed: ConditionInput = { ...complete, type: 'Degraded', status: 'True' };
  return { fields: { job, completionTime }, conditions: [complete, complete.status === 'True' ? fine : failed] };
}

export function toldOfJob(job: Job): Told {
  const { status } = job;
  const over = (type: string) => status.conditions?.find((each) => each.type === type && each.status === 'True');
  const fields = { job: job.metadata.name, completionTime: status.completionTime };
  if (over('Complete')) {
    const message = 'The message was printed.';
    return { fields, conditions: [{ type: 'Complete', status: 'True', reason: 'Printed', message }, fine] };
  }
  const failed = over('Failed');
  const { reason, message } = failed
    ? { reason: 'JobFailed', message: `The Job failed: ${failed.message ?? failed.reason ?? 'it says nothing more'}` }
    : { reason: 'Running', message: 'The Job runs.' };
  return {
    fields,
    conditions: [
      { type: 'Complete', status: 'False', reason, message },
      failed ? { type: 'Degraded', status: 'True', reason, message } : fine,
    ],
  };
}

export function toldOfCronJob({ metadata, spec, status = {} }: CronJob): Told {
  const { lastScheduleTime, lastSuccessfulTime } = status;
  return {
    fields: { cronJob: metadata.name, lastScheduleTime, lastSuccessfulTime },
    conditions: [
      spec.suspend
        ? {
            type: 'Scheduled',
            status: 'False',
            reason: 'Suspended',
            message: 'Nothing is printed while it is suspended.',
          }
        : { type: 'Scheduled', status: 'True', reason: 'Scheduled', message: `By ${spec.schedule}.` },
      fine,
    ],
  };
}

/** What was known stays, and Degraded says what is in the way. */
export function toldOfFailure(object: Reported, error: unknown): Told {
  const { conditions: _, observedGeneration: __, ...fields } = object.status ?? {};
  const main = object.kind === 'Echo' ? 'Complete' : 'Scheduled';
  const known = conditionOf(object, main);
  const message = error instanceof Error ? error.message : String(error);
  const about: ConditionInput =
    known.status === 'Unknown'
      ? {
          type: main,
          status: 'Unknown',
          reason: 'ReconcileFailed',
          message: 'Nothing is known about this generation yet.',
        }
      : known;
  return {
    fields: known.status === 'Unknown' ? {} : (fields as Told['fields']),
    conditions: [about, { type: 'Degraded', status: 'True', reason: reasonOf(error, message), message }],
  };
}

function reasonOf(error: unknown, message: string): string {
  if (isNotControlled(error)) return `${error.object.kind}NotControlled`;
  if (isInvalid(error)) {
    if (message.includes('spec.schedule')) return 'InvalidSchedule';
    return message.includes('spec.timeZone') ? 'InvalidTimeZone' : 'Invalid';
  }
  if (!isForbidden(error)) return 'ReconcileFailed';
  if (message.includes('exceeded quota') || message.includes('failed quota')) return 'QuotaExceeded';
  return message.includes('is being terminated') ? 'NamespaceTerminating' : 'Forbidden';
}

/** An object whose status this operator writes. */
export interface Reported extends KubernetesObject {
  readonly status?:
    | { readonly conditions?: readonly Condition[] | undefined; readonly observedGeneration?: number | undefined }
    | undefined;
}

/** What is news to a user when the conditions change from what the object has to these. */
export function newsOf({ status }: Reported, { conditions }: Told): readonly NewEvent[] {
  return conditions.flatMap(({ type, status: value, reason, message }): readonly NewEvent[] => {
    const before = status?.conditions?.find((each) => each.type === type);
    if (before?.status === value && before.reason === reason) return [];
    if (type === 'Degraded' && value === 'True') return [{ type: 'Warning', reason, message }];
    if (type === 'Degraded' && before?.status === 'True') return [{ type: 'Normal', reason: 'Recovered', message }];
    const isGood = type !== 'Degraded' && (value === 'True' || reason === 'Suspended');
    return isGood ? [{ type: 'Normal', reason, message }] : [];
  });
}

/** The whole status, as it is applied: conditions stamped, and without what is not known. */
export function statusOf({ metadata, status }: Reported, { fields, conditions }: Told, wallMs: number) {
  const { generation } = metadata;
  const stamped = conditions.reduce<readonly Condition[]>(
    (all, each) => setCondition(all, each, { generation, wallMs }),
    (status?.conditions ?? []).filter(({ type }) => conditions.some((each) => each.type === type)),
  );
  const known = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...known, ...(generation !== undefined && { observedGeneration: generation }), conditions: stamped };
}
