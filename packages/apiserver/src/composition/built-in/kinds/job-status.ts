/**
 * What is wrong with a new status of a Job. A rule looks only at what this update changes, so that a status which broke
 * it before can still be mended elsewhere.
 */
import { equalJson } from '@keelson/core';
import type { Job } from '@keelson/core/batch/v1';
import { duplicateValue, invalidValue, omitted, type Problem, required } from '@keelson/schema/validation';
import { indexesProblem, sharedIndex } from './job-indexes.ts';
import { nonNegative } from './pod-validation.ts';

const is = ({ status }: Job, type: string): boolean =>
  status?.conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
const isFinished = (job: Job): boolean => is(job, 'Complete') || is(job, 'Failed');

const conditions = (detail: string): Problem => invalidValue('status.conditions', omitted, detail);

export function jobStatusProblems(job: Job, old: Job): readonly Problem[] {
  const changes = (type: string) => is(job, type) !== is(old, type);
  const touches = (...names: readonly (keyof Job['status'])[]) =>
    names.some((name) => !equalJson(job.status?.[name], old.status?.[name]));
  const ends = isFinished(job) !== isFinished(old);
  return [
    ...countProblems(job),
    ...uncountedProblems(job),
    ...endProblems(job, changes, touches),
    ...(isFinished(job) ? finishedProblems(job, ends, touches) : []),
    ...indexProblems(job, touches),
    ...(touches('terminating') || ends ? terminatingProblems(job) : []),
    ...(touches('ready', 'active') && job.status.ready !== undefined && job.status.ready > (job.status.active ?? 0)
      ? [invalidValue('status.ready', job.status.ready, 'cannot set more ready pods than active')]
      : []),
    ...successProblems(job),
    ...transitionProblems(job, old),
  ];
}

type Touches = (...names: readonly (keyof Job['status'])[]) => boolean;

const countProblems = ({ status }: Job): readonly Problem[] =>
  (['active', 'succeeded', 'failed', 'ready', 'terminating'] as const).flatMap((name) =>
    nonNegative(`status.${name}`, status[name]),
  );

function uncountedProblems({ status }: Job): readonly Problem[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (status.uncountedTerminatedPods?.[list] ?? []).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === '') return [invalidValue(field, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateValue(field, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function endProblems(job: Job, changes: (type: string) => boolean, touches: Touches): readonly Problem[] {
  const { completionTime, startTime } = job.status;
  const problems: Problem[] = [];
  const isComplete = is(job, 'Complete');
  if ((changes('Complete') || changes('Failed')) && isComplete && is(job, 'Failed')) {
    problems.push(conditions('cannot set Complete=True and Failed=true conditions'));
  }
  if ((changes('Complete') || changes('FailureTarget')) && isComplete && is(job, 'FailureTarget')) {
    problems.push(conditions('cannot set Complete=True and FailureTarget=true conditions'));
  }
  if (changes('Complete') || touches('completionTime')) {
    const field = 'status.completionTime';
    if (completionTime !== undefined && !isComplete) {
      const why = 'cannot set completionTime when there is no Complete=True condition';
      problems.push(invalidValue(field, completionTime, why));
    }
    if (completionTime === undefined && isComplete) {
      problems.push(required(field, 'completionTime is required for Complete jobs'));
    }
  }
  if (touches('startTime', 'completionTime') && Date.parse(completionTime ?? '') < Date.parse(startTime ?? '')) {
    problems.push(invalidValue('status.completionTime', completionTime, 'must be equal to or after `startTime`'));
  }
  if ((changes('Failed') || touches('failedIndexes')) && is(job, 'Failed') && !is(job, 'FailureTarget')) {
    problems.push(conditions('cannot set Failed=True condition without the FailureTarget=true condition'));
  }
  if ((changes('Complete') || changes('SuccessCriteriaMet')) && isComplete && !is(job, 'SuccessCriteriaMet')) {
    problems.push(conditions('cannot set Complete=True condition without the SuccessCriteriaMet=true condition'));
  }
  return problems;
}

function finishedProblems({ spec, status }: Job, ends: boolean, touches: Touches): readonly Problem[] {
  const { active = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  const isEmptyAndResting = spec.suspend === true && spec.completions === 0;
  const problems: Problem[] = [];
  if ((ends || touches('active')) && active > 0) {
    problems.push(invalidValue('status.active', active, 'active>0 is invalid for finished job'));
  }
  if ((ends || touches('startTime')) && !isEmptyAndResting && startTime === undefined) {
    problems.push(required('status.startTime', 'startTime is required for finished job'));
  }
  const left = [...(uncounted?.succeeded ?? []), ...(uncounted?.failed ?? [])].length;
  if ((ends || touches('uncountedTerminatedPods')) && left > 0) {
    const held = { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null };
    problems.push(invalidValue('status.uncountedTerminatedPods', held, 'must be empty for finished job'));
  }
  return problems;
}

function indexProblems({ spec, status }: Job, touches: Touches): readonly Problem[] {
  const { completions, backoffLimitPerIndex, completionMode } = spec;
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  const problems: Problem[] = [];
  const add = (name: 'completedIndexes' | 'failedIndexes', why: string | undefined) => {
    if (why !== undefined) problems.push(invalidValue(`status.${name}`, status[name], why));
  };
  const parsing = (name: string, why: string | undefined) => why && `error parsing ${name}: ${why}`;
  if (touches('completedIndexes') && completions !== undefined) {
    add('completedIndexes', parsing('completedIndexes', indexesProblem(completed, completions)));
  }
  if (touches('failedIndexes') && completions !== undefined && backoffLimitPerIndex !== undefined) {
    add('failedIndexes', parsing('failedIndexes', indexesProblem(failed ?? '', completions)));
  }
  if (touches('completedIndexes') && completed !== '' && completionMode !== 'Indexed') {
    add('completedIndexes', 'cannot set non-empty completedIndexes when non-indexed completion mode');
  }
  if (touches('failedIndexes') && failed !== undefined && backoffLimitPerIndex === undefined) {
    add('failedIndexes', 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  }
  if (touches('failedIndexes', 'completedIndexes') && completions !== undefined && failed !== undefined) {
    const shared = sharedIndex(completed, failed, completions);
    if (shared !== undefined) add('failedIndexes', `failedIndexes and completedIndexes overlap at index: ${shared}`);
  }
  return problems;
}

const terminatingProblems = (job: Job): readonly Problem[] =>
  (job.status.terminating ?? 0) > 0 && isFinished(job)
    ? [invalidValue('status.terminating', job.status.terminating, 'terminating>0 is invalid for finished job')]
    : [];

function successProblems(job: Job): readonly Problem[] {
  const isMet = is(job, 'SuccessCriteriaMet');
  return [
    ...(isMet && is(job, 'Failed')
      ? [conditions('cannot set SuccessCriteriaMet=True and Failed=true conditions')]
      : []),
    ...(isMet && is(job, 'FailureTarget')
      ? [conditions('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions')]
      : []),
    ...(job.spec.successPolicy !== undefined && !isMet && is(job, 'Complete')
      ? [conditions('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True')]
      : []),
  ];
}

function transitionProblems(job: Job, old: Job): readonly Problem[] {
  const { spec, status } = job;
  const before = old.status;
  const problems = ['Failed', 'Complete', 'FailureTarget']
    .filter((type) => is(old, type) && !is(job, type))
    .map((type) => conditions(`cannot disable the terminal ${type}=True condition`));
  const mayShrink = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const name of ['failed', 'succeeded'] as const) {
    const isLess = (status[name] ?? 0) < (before?.[name] ?? 0);
    if (!isLess || (name === 'succeeded' && mayShrink)) continue;
    problems.push(invalidValue(`status.${name}`, status[name] ?? 0, `cannot decrease the ${name} counter`));
  }
  const isChanged = (name: 'completionTime' | 'startTime') =>
    before?.[name] !== undefined && before[name] !== status[name];
  if (status.completionTime !== undefined && isChanged('completionTime')) {
    problems.push(invalidValue('status.completionTime', status.completionTime, 'field is immutable'));
  }
  const isResumed =
    is(old, 'Suspended') && status.conditions?.some((each) => each.type === 'Suspended' && each.status === 'False');
  if (isChanged('startTime') && !isResumed && !spec.suspend) {
    const why = 'field is immutable for unsuspended job once set';
    problems.push(invalidValue('status.startTime', status.startTime ?? null, why));
  }
  if (is(old, 'SuccessCriteriaMet') && !is(job, 'SuccessCriteriaMet')) {
    problems.push(conditions('cannot disable the SuccessCriteriaMet=True condition'));
  }
  if (is(old, 'Complete') && !is(old, 'SuccessCriteriaMet') && is(job, 'SuccessCriteriaMet')) {
    problems.push(conditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
  }
  return problems;
}
