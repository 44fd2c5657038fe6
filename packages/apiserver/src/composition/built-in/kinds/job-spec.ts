/** What is wrong with the spec of a Job, in the words of the API server. */
import type { JobSpec } from '@keelson/core/batch/v1';
import {
  invalidValue,
  labelMapProblems,
  type Problem,
  required,
  subdomainProblems,
  tooLong,
  unsupportedValue,
} from '@keelson/schema/validation';
import { failurePolicyProblems, replacementProblems, successPolicyProblems } from './job-policies.ts';
import { nonNegative, podSpecProblems } from './pod-validation.ts';

const indexedMode = 'Indexed';
const maxParallelism = 100_000;
const maxFailedIndexesLimit = 100_000;
/** Beyond so many completions, lists of failed indexes could become too long for the status. */
const manyCompletions = 100_000;
const limitForMany = 10_000;

/** As a Job has it or, without a selector, the template of a CronJob. */
export function jobSpecProblems(spec: JobSpec, field: string): readonly Problem[] {
  const { backoffLimitPerIndex, maxFailedIndexes, completionMode, template } = spec;
  const counts = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ] as const;
  return [
    ...counts.flatMap((name) => nonNegative(`${field}.${name}`, spec[name])),
    ...(maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')]
      : []),
    ...managedByProblems(spec.managedBy, `${field}.managedBy`),
    ...(completionMode !== undefined && !['NonIndexed', indexedMode].includes(completionMode)
      ? [unsupportedValue(`${field}.completionMode`, completionMode, ['NonIndexed', indexedMode])]
      : []),
    ...(completionMode === indexedMode ? indexedProblems(spec, field) : []),
    ...(completionMode === undefined || completionMode === 'NonIndexed' ? unindexedProblems(spec, field) : []),
    ...failurePolicyProblems(spec, `${field}.podFailurePolicy`),
    ...successPolicyProblems(spec, `${field}.successPolicy`),
    ...replacementProblems(spec, `${field}.podReplacementPolicy`),
    ...labelMapProblems(template.metadata?.labels ?? {}, `${field}.template.labels`),
    ...podSpecProblems(template.spec ?? { containers: [] }, `${field}.template.spec`),
    ...restartPolicyProblems(spec, `${field}.template.spec.restartPolicy`),
  ];
}

function managedByProblems(managedBy: string | undefined, field: string): readonly Problem[] {
  if (managedBy === undefined) return [];
  if (managedBy === '') return [required(field)];
  const slash = managedBy.indexOf('/');
  const [host, path] = [managedBy.slice(0, slash), managedBy.slice(slash + 1)];
  if (slash <= 0 || path === '') {
    return [invalidValue(field, managedBy, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const pathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
  return [
    ...subdomainProblems(host).map((problem) => invalidValue(field, host, problem)),
    ...(new RegExp(`^${pathFormat}$`).test(path)
      ? []
      : [invalidValue(field, path, `Invalid path (regex used for validation is '${pathFormat}')`)]),
    ...(managedBy.length > 63 ? [tooLong(field, 63)] : []),
  ];
}

function indexedProblems(spec: JobSpec, field: string): readonly Problem[] {
  const { completions, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex } = spec;
  const problems: Problem[] = [];
  const atMost = (name: 'parallelism' | 'maxFailedIndexes', limit: number | string, when = '') =>
    problems.push(invalidValue(`${field}.${name}`, spec[name], `must be less than or equal to ${limit}${when}`));
  if (completions === undefined) problems.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > maxParallelism) atMost('parallelism', maxParallelism, ' when completion mode is Indexed');
  const failed = maxFailedIndexes ?? 0;
  if (completions !== undefined && failed > completions) atMost('maxFailedIndexes', 'completions');
  if (failed > maxFailedIndexesLimit) atMost('maxFailedIndexes', maxFailedIndexesLimit);
  if ((completions ?? 0) <= manyCompletions || backoffLimitPerIndex === undefined) return problems;
  const when = ` when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (maxFailedIndexes === undefined) {
    problems.push(
      required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${manyCompletions}`),
    );
  }
  if (parallelism > limitForMany) atMost('parallelism', limitForMany, when);
  if (failed > limitForMany) atMost('maxFailedIndexes', limitForMany, when);
  return problems;
}

const unindexedProblems = (spec: JobSpec, field: string): readonly Problem[] =>
  (['backoffLimitPerIndex', 'maxFailedIndexes'] as const).flatMap((name) =>
    spec[name] === undefined ? [] : [invalidValue(`${field}.${name}`, spec[name], 'requires indexed completion mode')],
  );

/** A pod that is restarted for ever never ends; that is the default of pods, so it is called missing and not wrong. */
function restartPolicyProblems({ template, podFailurePolicy }: JobSpec, field: string): readonly Problem[] {
  const policy = template.spec?.restartPolicy ?? 'Always';
  if (policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [unsupportedValue(field, policy, ['OnFailure', 'Never'])];
  return podFailurePolicy !== undefined && policy !== 'Never'
    ? [invalidValue(field, policy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}
