/** PodDisruptionBudgets: how many of some pods must stay, or may go; never both. */

import type { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { fieldsInOrder, formatError, invalidValue, type Problem, unsupportedValue } from '@keelson/schema/validation';
import { type ApiObject, readAs } from '../../../object.ts';
import { conditionProblems } from '../../../validate/conditions.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { podDisruptionBudgetTable } from '../tables/workloads.ts';
import type { KindRules } from './kind-rules.ts';
import { nonNegative } from './pod-validation.ts';

type Spec = NonNullable<PodDisruptionBudget['spec']>;

const specOf = (object: ApiObject): Spec => readAs<PodDisruptionBudget>(object).spec ?? {};
const policies = ['AlwaysAllow', 'IfHealthyBudget'];
const percentFormat = '[0-9]+%';
const percentProblem = formatError(
  "a valid percent string must be a numeric string followed by an ending '%'",
  percentFormat,
  '1%',
  '93%',
);

function amountProblems(field: string, amount: number | string | undefined): readonly Problem[] {
  if (typeof amount !== 'string') return nonNegative(field, amount);
  if (!new RegExp(`^${percentFormat}$`).test(amount)) return [invalidValue(field, amount, percentProblem)];
  return Number.parseInt(amount, 10) > 100 ? [invalidValue(field, amount, 'must not be greater than 100%')] : [];
}

/** The server quotes the spec as it holds it: under Go's names, with what is absent. */
function quoted({ minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy }: Spec): object {
  const { matchLabels, matchExpressions } = selector ?? {};
  const sorted = matchLabels && Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    MinAvailable: minAvailable,
    Selector: selector == null ? null : { matchLabels: sorted, matchExpressions },
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
  };
}

export const podDisruptionBudget: KindRules = {
  generation: 'content',
  unconditionalUpdate: false,
  validate(object) {
    const spec = specOf(object);
    const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
    const isBoth = minAvailable !== undefined && maxUnavailable !== undefined;
    return [
      ...(isBoth
        ? [invalidValue('spec', fieldsInOrder(quoted(spec)), 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...amountProblems('spec.minAvailable', minAvailable),
      ...amountProblems('spec.maxUnavailable', maxUnavailable),
      ...selectorProblems(selector, 'spec.selector'),
      ...(policy === undefined || policies.includes(policy)
        ? []
        : [unsupportedValue('spec.unhealthyPodEvictionPolicy', policy, policies)]),
    ];
  },
  validateStatus(object) {
    const status = readAs<PodDisruptionBudget>(object).status ?? {};
    return [
      ...conditionProblems(status.conditions ?? [], 'status.conditions'),
      ...nonNegative('status.disruptionsAllowed', status.disruptionsAllowed),
      ...nonNegative('status.currentHealthy', status.currentHealthy),
      ...nonNegative('status.desiredHealthy', status.desiredHealthy),
      ...nonNegative('status.expectedPods', status.expectedPods),
    ];
  },
  table: podDisruptionBudgetTable,
};
