/** CronJobs: a schedule, a time zone, and the template of a Job. */
import { CronError, isTimeZone, parseCron } from '@keelson/core';
import type { CronJob, CronJobSpec } from '@keelson/core/batch/v1';
import { fieldsInOrder, invalidValue, type Problem, required, unsupportedValue } from '@keelson/schema/validation';
import { type ApiObject, readAs } from '../../../object.ts';
import { change, fill } from './fill.ts';
import { nameWarnings } from './job.ts';
import { jobTemplateDefaults } from './job-defaults.ts';
import { jobSpecProblems } from './job-spec.ts';
import type { KindRules } from './kind-rules.ts';
import { nonNegative } from './pod-validation.ts';

const specOf = (object: ApiObject): CronJobSpec => readAs<CronJob>(object).spec;

/** Room for the minutes of a time behind the name, in a name of 63 characters. */
const maxNameLength = 52;

const policies = ['Allow', 'Forbid', 'Replace'];

function specProblems(spec: CronJobSpec, old: CronJobSpec | undefined): readonly Problem[] {
  const { concurrencyPolicy = '', timeZone } = spec;
  return [
    ...(spec.schedule ? scheduleProblems(spec, old?.schedule.includes('TZ') ?? false) : [required('spec.schedule')]),
    ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
    ...(old && old.timeZone === timeZone ? [] : timeZoneProblems(timeZone)),
    ...(policies.includes(concurrencyPolicy)
      ? []
      : [unsupportedValue('spec.concurrencyPolicy', concurrencyPolicy, policies)]),
    ...templateProblems(spec.jobTemplate),
    ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
    ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ];
}

/** A zone in the schedule is tolerated where there was one before. */
function scheduleProblems({ schedule, timeZone }: CronJobSpec, mayHaveZone: boolean): readonly Problem[] {
  const wrong = (why: string) => [invalidValue('spec.schedule', schedule, why)];
  const problems = parseProblem(schedule).flatMap(wrong);
  if (!schedule.includes('TZ')) return problems;
  if (!mayHaveZone) {
    return [...problems, ...wrong('cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  }
  return timeZone === undefined
    ? problems
    : [...problems, ...wrong('cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

function parseProblem(schedule: string): readonly string[] {
  try {
    parseCron(schedule);
    return [];
  } catch (error) {
    if (error instanceof CronError) return [error.message];
    throw error;
  }
}

function timeZoneProblems(timeZone: string | undefined): readonly Problem[] {
  if (timeZone === undefined) return [];
  const wrong = (why: string) => [invalidValue('spec.timeZone', timeZone, why)];
  if (timeZone === '') return wrong('timeZone must be nil or non-empty string');
  const isPart = (part: string) => /^[A-Za-z._0-9+][A-Za-z.\-_0-9+]{0,13}$/.test(part) && part !== '.' && part !== '..';
  if (!timeZone.split('/').every(isPart)) return wrong(`unknown time zone ${timeZone}`);
  if (timeZone.toLowerCase() === 'local') {
    const explicit = wrong('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
    return timeZone === 'Local' ? explicit : [...explicit, ...wrong(`unknown time zone ${timeZone}`)];
  }
  return isTimeZone(timeZone) ? [] : wrong(`unknown time zone ${timeZone}`);
}

function templateProblems({ spec }: CronJobSpec['jobTemplate']): readonly Problem[] {
  const field = 'spec.jobTemplate.spec';
  const { selector, manualSelector } = spec ?? {};
  return [
    ...jobSpecProblems(spec ?? { template: {} }, field),
    ...(selector === undefined
      ? []
      : [invalidValue(`${field}.selector`, fieldsInOrder(selector), '`selector` will be auto-generated')]),
    ...(manualSelector ? [unsupportedValue(`${field}.manualSelector`, true, ['nil', 'false'])] : []),
  ];
}

export const cronJob: KindRules = {
  default: (object) =>
    change(object, 'spec', (spec) =>
      change(
        fill(spec, {
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        }),
        'jobTemplate',
        jobTemplateDefaults,
      ),
    ),
  generation: 'content',
  validate(object) {
    const { name = '' } = object.metadata;
    return [
      ...specProblems(specOf(object), undefined),
      ...(name.length > maxNameLength
        ? [invalidValue('metadata.name', name, 'must be no more than 52 characters')]
        : []),
    ];
  },
  validateChanged: () => [],
  validateUpdate: (object, old) => specProblems(specOf(object), specOf(old)),
  warnings(object, old) {
    if (!old) return nameWarnings(object);
    return specOf(object).schedule.includes('TZ')
      ? [
          'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
        ]
      : [];
  },
};
