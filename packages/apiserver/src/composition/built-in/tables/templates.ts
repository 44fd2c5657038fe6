/** The rows of what pods are made from: templates, jobs, controllers and their revisions. */

import type { ControllerRevision } from '@keelson/core/apps/v1';
import type { CronJob, Job } from '@keelson/core/batch/v1';
import type { PodTemplate, ReplicationController } from '@keelson/core/v1';
import {
  age,
  ageColumn,
  column,
  containerCells,
  containerColumns,
  duration,
  integer,
  labelsText,
  named,
  selectorText,
  since,
  wide,
} from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';

const selectorColumn = wide('Selector', 'Which pods belong to it, by their labels.');

export const podTemplateTable = named(
  (object) => {
    const { template } = readAs<PodTemplate>(object);
    return [...containerCells(template?.spec), labelsText(template?.metadata?.labels)];
  },
  column('Containers', 'Names of each container in the template.'),
  column('Images', 'Images referenced by each container in the template.'),
  column('Pod Labels', 'The labels of its pods.'),
);

export const replicationControllerTable = named(
  (object, now) => {
    const { spec, status } = readAs<ReplicationController>(object);
    return [
      spec?.replicas ?? 0,
      status?.replicas ?? 0,
      status?.readyReplicas ?? 0,
      age(object, now),
      ...containerCells(spec?.template?.spec),
      labelsText(spec?.selector),
    ];
  },
  integer('Desired', 'How many pods are wanted.'),
  integer('Current', 'How many pods there are.'),
  integer('Ready', 'How many of them are ready.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);

export const controllerRevisionTable = named(
  (object, now) => {
    const { revision, metadata } = readAs<ControllerRevision>(object);
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller === true);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    return [
      owner === undefined ? '<none>' : `${owner.kind.toLowerCase()}${group}/${owner.name}`,
      revision,
      age(object, now),
    ];
  },
  column('Controller', 'Whose revision it is.'),
  column('Revision', 'Its number.'),
  ageColumn,
);

/** The first of these conditions that is true says what has become of a job. */
const outcomes = ['Complete', 'Failed', 'Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus({ status, metadata }: Job): string {
  const has = (wanted: string) =>
    (status?.conditions ?? []).some(({ type, status: value }) => type === wanted && value === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  return outcomes.find(has) ?? 'Running';
}

export const jobTable = named(
  (object, now) => {
    const job = readAs<Job>(object);
    const { spec, status } = job;
    const { completions, parallelism = 0 } = spec ?? {};
    const wanted = completions ?? (parallelism > 1 ? `1 of ${parallelism}` : 1);
    const start = status?.startTime;
    const end = status?.completionTime;
    return [
      jobStatus(job),
      `${status?.succeeded ?? 0}/${wanted}`,
      start ? duration((end ? Date.parse(end) : now) - Date.parse(start)) : '',
      age(object, now),
      ...containerCells(spec?.template.spec),
      selectorText(spec?.selector),
    ];
  },
  column('Status', 'What has become of it.'),
  column('Completions', 'How many pods have succeeded, and how many must.'),
  column('Duration', 'How long it took, or takes.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);

export const cronJobTable = named(
  (object, now) => {
    const { spec, status } = readAs<CronJob>(object);
    const { suspend, jobTemplate } = spec ?? {};
    return [
      spec?.schedule ?? '',
      spec?.timeZone ?? '<none>',
      suspend === undefined ? '<unset>' : suspend ? 'True' : 'False',
      (status?.active ?? []).length,
      status?.lastScheduleTime ? since(status.lastScheduleTime, now) : '<none>',
      age(object, now),
      ...containerCells(jobTemplate?.spec?.template.spec),
      selectorText(jobTemplate?.spec?.selector),
    ];
  },
  column('Schedule', 'When it makes jobs.'),
  column('Timezone', 'Where it is that time.'),
  column('Suspend', 'Whether it makes none for now.', { type: 'boolean' }),
  integer('Active', 'How many of its jobs run.'),
  column('Last Schedule', 'When it made the last one.'),
  ageColumn,
  ...containerColumns,
  selectorColumn,
);
