/** What is wrong with the policies of a Job: for failures, for success, for replacement. */
import type { JobSpec } from '@keelson/core/batch/v1';
import {
  duplicateValue,
  fieldsInOrder,
  invalidValue,
  omitted,
  type Problem,
  qualifiedNameProblems,
  required,
  tooLong,
  tooMany,
  unsupportedValue,
} from '@keelson/schema/validation';
import { indexesProblem, totalIndexes } from './job-indexes.ts';
import { nonNegative } from './pod-validation.ts';

type Rule = NonNullable<NonNullable<JobSpec['podFailurePolicy']>['rules']>[number];
type ExitCodes = NonNullable<Rule['onExitCodes']>;

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const maxIndexesLength = 64 * 1024;

const quoted = (values: readonly string[]): string => `valid values: [${values.map((each) => `"${each}"`).join(' ')}]`;

/** Empty is missing, and any other word is unknown. */
function wordProblems(field: string, word: string | undefined, known: readonly string[]): readonly Problem[] {
  if (!word) return [required(field, quoted(known))];
  return known.includes(word) ? [] : [unsupportedValue(field, word, known)];
}

export function failurePolicyProblems(spec: JobSpec, field: string): readonly Problem[] {
  if (spec.podFailurePolicy === undefined) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  return [
    ...(rules.length > maxRules ? [tooMany(`${field}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => ruleProblems(spec, rule, `${field}.rules[${index}]`)),
  ];
}

function ruleProblems(spec: JobSpec, rule: Rule, field: string): readonly Problem[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const has = (onExitCodes ? 1 : 0) + (onPodConditions.length > 0 ? 1 : 0);
  return [
    ...(action === 'FailIndex'
      ? spec.backoffLimitPerIndex === undefined
        ? [invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set')]
        : []
      : wordProblems(`${field}.action`, action, ['Count', 'FailIndex', 'FailJob', 'Ignore'])),
    ...(onExitCodes ? exitCodeProblems(spec, onExitCodes, `${field}.onExitCodes`) : []),
    ...(onPodConditions.length > maxPatterns
      ? [tooMany(`${field}.onPodConditions`, onPodConditions.length, maxPatterns)]
      : []),
    ...onPodConditions.flatMap(({ type, status }, index) => [
      ...qualifiedNameProblems(type).map((problem) =>
        invalidValue(`${field}.onPodConditions[${index}].type`, type, problem),
      ),
      ...wordProblems(`${field}.onPodConditions[${index}].status`, status, ['False', 'True', 'Unknown']),
    ]),
    ...(has === 2
      ? [invalidValue(field, omitted, 'specifying both OnExitCodes and OnPodConditions is not supported')]
      : []),
    ...(has === 0
      ? [invalidValue(field, omitted, 'specifying one of OnExitCodes and OnPodConditions is required')]
      : []),
  ];
}

function exitCodeProblems({ template }: JobSpec, codes: ExitCodes, field: string): readonly Problem[] {
  const { containerName, operator } = codes;
  const values = codes.values ?? [];
  const { containers, initContainers } = template.spec ?? {};
  // Either may be null, which is refused elsewhere.
  const isKnown = [...(containers ?? []), ...(initContainers ?? [])].some(({ name }) => name === containerName);
  const isOrdered = values.every((value, index) => index === 0 || (values[index - 1] ?? 0) <= value);
  return [
    ...wordProblems(`${field}.operator`, operator, ['In', 'NotIn']),
    ...(containerName !== undefined && !isKnown
      ? [
          invalidValue(
            `${field}.containerName`,
            containerName,
            'must be one of the container or initContainer names in the pod template',
          ),
        ]
      : []),
    ...(values.length === 0
      ? [invalidValue(`${field}.values`, codes.values ?? null, 'at least one value is required')]
      : []),
    ...(values.length > maxExitCodes ? [tooMany(`${field}.values`, values.length, maxExitCodes)] : []),
    ...values.flatMap((value, index) => [
      ...(operator === 'In' && value === 0
        ? [invalidValue(`${field}.values[${index}]`, value, 'must not be 0 for the In operator')]
        : []),
      ...(values.indexOf(value) < index ? [duplicateValue(`${field}.values[${index}]`, value)] : []),
    ]),
    ...(isOrdered ? [] : [invalidValue(`${field}.values`, values, 'must be ordered')]),
  ];
}

export function successPolicyProblems(spec: JobSpec, field: string): readonly Problem[] {
  const { successPolicy, completionMode } = spec;
  if (successPolicy === undefined) return [];
  if (completionMode !== 'Indexed') {
    return [invalidValue(field, successPolicyAsHeld(successPolicy), 'requires indexed completion mode')];
  }
  const rules = successPolicy.rules ?? [];
  return [
    ...(rules.length === 0
      ? [required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > maxRules ? [tooMany(`${field}.rules`, rules.length, maxRules)] : []),
    ...rules.flatMap((rule, index) => successRuleProblems(spec, rule, `${field}.rules[${index}]`)),
  ];
}

type SuccessRule = NonNullable<JobSpec['successPolicy']>['rules'][number];

function successRuleProblems(
  { completions = 0 }: JobSpec,
  { succeededCount, succeededIndexes }: SuccessRule,
  field: string,
): readonly Problem[] {
  if (succeededCount === undefined && succeededIndexes === undefined) {
    return [required(field, 'at least one of succeededCount or succeededIndexes must be specified')];
  }
  const at = { indexes: `${field}.succeededIndexes`, count: `${field}.succeededCount` };
  const wrong = succeededIndexes === undefined ? undefined : indexesProblem(succeededIndexes, completions);
  const total = succeededIndexes === undefined ? undefined : totalIndexes(succeededIndexes, completions);
  const isMore = (limit: number | undefined) =>
    succeededCount !== undefined && limit !== undefined && succeededCount > limit;
  return [
    ...((succeededIndexes ?? '').length > maxIndexesLength ? [tooLong(at.indexes, maxIndexesLength)] : []),
    ...(wrong === undefined
      ? []
      : [invalidValue(at.indexes, succeededIndexes, `error parsing succeededIndexes: ${wrong}`)]),
    ...nonNegative(at.count, succeededCount),
    ...(isMore(completions)
      ? [
          invalidValue(
            at.count,
            succeededCount,
            `must be less than or equal to ${completions} (the number of specified completions)`,
          ),
        ]
      : []),
    ...(isMore(total)
      ? [
          invalidValue(
            at.count,
            succeededCount,
            `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
          ),
        ]
      : []),
  ];
}

export function replacementProblems(spec: JobSpec, field: string): readonly Problem[] {
  const { podReplacementPolicy: policy, podFailurePolicy } = spec;
  const supported = podFailurePolicy === undefined ? ['Failed', 'TerminatingOrFailed'] : ['Failed'];
  return policy === undefined || supported.includes(policy) ? [] : [unsupportedValue(field, policy, supported)];
}

/** The server quotes values as it holds them: under Go's names, with what is absent. */
export const successPolicyAsHeld = (policy: JobSpec['successPolicy']): unknown =>
  fieldsInOrder(
    policy && {
      Rules: (policy.rules ?? []).map(({ succeededIndexes = null, succeededCount = null }) => ({
        SucceededIndexes: succeededIndexes,
        SucceededCount: succeededCount,
      })),
    },
  );

export const failurePolicyAsHeld = (policy: JobSpec['podFailurePolicy']): unknown =>
  fieldsInOrder(
    policy && {
      Rules: (policy.rules ?? []).map(({ action, onExitCodes, onPodConditions }) => ({
        Action: action,
        OnExitCodes: onExitCodes
          ? {
              ContainerName: onExitCodes.containerName ?? null,
              Operator: onExitCodes.operator,
              Values: onExitCodes.values,
            }
          : null,
        OnPodConditions: onPodConditions?.map(({ type, status }) => ({ Type: type, Status: status })) ?? null,
      })),
    },
  );
