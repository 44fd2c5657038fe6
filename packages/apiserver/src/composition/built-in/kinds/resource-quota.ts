/** ResourceQuotas: known resources in whole numbers, and scopes that fit them and each other. */
import type { ResourceQuota } from '@keelson/core/v1';
import { fieldsInOrder, invalidValue, type Problem, required } from '@keelson/schema/validation';
import { type ApiObject, readAs } from '../../../object.ts';
import type { KindRules } from './kind-rules.ts';
import { isOfQuotas, quotaListProblems } from './resource-names.ts';

type Spec = ResourceQuota['spec'];
type Selector = NonNullable<Spec['scopeSelector']>;

const podComputing = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const ofPods = ['pods', ...podComputing];
/** The resources that a scope can be about. */
const scopes: Readonly<Record<string, readonly string[]>> = {
  Terminating: ofPods,
  NotTerminating: ofPods,
  BestEffort: ['pods'],
  NotBestEffort: ofPods,
  PriorityClass: ofPods,
  CrossNamespacePodAffinity: ofPods,
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};
/** Scopes that are chosen by a value; the others are there or not. */
const valued = ['PriorityClass', 'VolumeAttributesClass'];
const opposites = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];

const specOf = (object: ApiObject): Spec => readAs<ResourceQuota>(object).spec ?? {};

/** One problem for each resource that the scope cannot be about. */
const misfits = (scope: string, { hard = {} }: Spec, problem: () => Problem): Problem[] =>
  Object.keys(hard)
    .filter((name) => isOfQuotas(name) && scopes[scope]?.includes(name) === false)
    .map(problem);

const contradictions = (used: readonly string[], problem: () => Problem): Problem[] =>
  opposites.filter((pair) => pair.every((scope) => used.includes(scope))).map(problem);

function scopeProblems(spec: Spec): readonly Problem[] {
  const used = spec.scopes ?? [];
  const says = (detail: string) => () => invalidValue('spec.scopes', used, detail);
  return [
    ...used.flatMap((scope) => [
      ...(scopes[scope] === undefined ? [says('unsupported scope')()] : []),
      ...misfits(scope, spec, says('unsupported scope applied to resource')),
    ]),
    ...contradictions(used, says('conflicting scopes')),
  ];
}

/** The server quotes the selector under Go's names. */
const quoted = ({ matchExpressions = [] }: Selector) =>
  fieldsInOrder({
    MatchExpressions: matchExpressions.map(({ scopeName, operator, values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  });

function selectorProblems(spec: Spec): readonly Problem[] {
  const { scopeSelector: selector } = spec;
  if (selector == null) return [];
  const field = 'spec.scopeSelector.matchExpressions';
  const expressions = selector.matchExpressions ?? [];
  return [
    ...expressions.flatMap(({ scopeName, operator, values = [] }) => [
      ...(scopes[scopeName] === undefined ? [invalidValue(`${field}.scopeName`, scopeName, 'unsupported scope')] : []),
      ...misfits(scopeName, spec, () => invalidValue(field, quoted(selector), 'unsupported scope applied to resource')),
      ...(scopes[scopeName] !== undefined && !valued.includes(scopeName) && operator !== 'Exists'
        ? [invalidValue(`${field}.operator`, operator, onlyExists)]
        : []),
      ...operatorProblems(field, operator, values),
    ]),
    ...contradictions(
      expressions.map(({ scopeName }) => scopeName),
      () => invalidValue(field, spec.scopes ?? null, 'conflicting scopes'),
    ),
  ];
}

const onlyExists =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function operatorProblems(field: string, operator: string, values: readonly string[]): readonly Problem[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [
            required(
              `${field}.values`,
              "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
            ),
          ];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            invalidValue(
              `${field}.values`,
              values,
              "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
            ),
          ];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

export const resourceQuota: KindRules = {
  returnsDeleted: true,
  validate(object) {
    const spec = specOf(object);
    return [...quotaListProblems(spec.hard ?? {}, 'spec.hard'), ...scopeProblems(spec), ...selectorProblems(spec)];
  },
  validateUpdate(object, old) {
    const [now, before] = [new Set(specOf(object).scopes), new Set(specOf(old).scopes)];
    const isSame = now.size === before.size && [...now].every((scope) => before.has(scope));
    return isSame ? [] : [invalidValue('spec.scopes', specOf(object).scopes ?? null, 'field is immutable')];
  },
  validateStatus(object) {
    const { hard = {}, used = {} } = readAs<ResourceQuota>(object).status ?? {};
    return [...quotaListProblems(hard, 'status.hard'), ...quotaListProblems(used, 'status.used')];
  },
};
