/** Deployments, ReplicaSets and their kin: defaults, and the agreement of selector and template. */

import { equalJson, matchesLabels, requirementsOf } from '@keelson/core';
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import {
  fieldsInOrder,
  forbiddenField,
  invalidValue,
  labelMapProblems,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, at, type JsonObject, readAs } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { deploymentTable, replicaSetTable } from '../tables/workloads.ts';
import { change, fill, fillSpec } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { templateDefaults } from './pod-defaults.ts';
import { nonNegative, podSpecProblems } from './pod-validation.ts';

type Selector = NonNullable<ReplicaSet['spec']>['selector'];
type Template = NonNullable<NonNullable<ReplicaSet['spec']>['template']>;

/** A selector that cannot be evaluated has been complained of already. */
function matches(selector: Selector | undefined, labels: Readonly<Record<string, string>> | undefined): boolean {
  if (selector == null) return false;
  try {
    return matchesLabels(requirementsOf(selector), labels);
  } catch {
    return true;
  }
}

/** What a workload is called in refusals. A ReplicaSet is called a deployment where its selector is empty. */
interface Called {
  readonly selector: string;
  readonly deadline: string;
}

export function workloadProblems(
  spec: { selector?: Selector; template?: Template | undefined },
  called: Called = { selector: 'deployment', deadline: 'ReplicaSet' },
): readonly Problem[] {
  const { selector, template } = spec;
  const causes: Problem[] = [];
  if (selector == null) causes.push(required('spec.selector'));
  else {
    causes.push(...selectorProblems(selector, 'spec.selector'));
    if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
      const why = `empty selector is invalid for ${called.selector}`;
      causes.push(invalidValue('spec.selector', fieldsInOrder(selector), why));
    }
  }
  const labels = template?.metadata?.labels;
  const isEmpty = selector != null && requirementCount(selector) === 0;
  if (!isEmpty && !matches(selector, labels)) {
    causes.push(
      invalidValue('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'),
    );
  }
  const at = 'spec.template';
  causes.push(...labelMapProblems(labels ?? {}, `${at}.labels`));
  if (template?.spec !== undefined) causes.push(...podSpecProblems(template.spec, `${at}.spec`));
  const policy = template?.spec?.restartPolicy;
  if (policy !== undefined && policy !== 'Always') {
    causes.push(unsupportedValue(`${at}.spec.restartPolicy`, policy, ['Always']));
  }
  if (template?.spec?.activeDeadlineSeconds !== undefined) {
    const why = `activeDeadlineSeconds in ${called.deadline} is not Supported`;
    causes.push(forbiddenField(`${at}.spec.activeDeadlineSeconds`, why));
  }
  return causes;
}

const requirementCount = (selector: NonNullable<Selector>): number =>
  Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length;

export const fixedSelector = (object: ApiObject, old: ApiObject): readonly Problem[] => {
  const selector = at(object, 'spec', 'selector');
  return equalJson(selector, at(old, 'spec', 'selector'))
    ? []
    : [invalidValue('spec.selector', fieldsInOrder(selector), 'field is immutable')];
};

function strategyProblems(strategy: NonNullable<Deployment['spec']>['strategy'] = {}): readonly Problem[] {
  const { type, rollingUpdate } = strategy;
  const field = 'spec.strategy';
  if (type === 'Recreate') {
    return rollingUpdate === undefined
      ? []
      : [forbiddenField(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate')
    return [unsupportedValue(field, fieldsInOrder(strategy), ['Recreate', 'RollingUpdate'])];
  const isNone = (value: unknown) => value === 0 || value === '0%' || value === '0';
  return isNone(rollingUpdate?.maxUnavailable) && isNone(rollingUpdate?.maxSurge)
    ? [
        invalidValue(
          `${field}.rollingUpdate.maxUnavailable`,
          rollingUpdate?.maxUnavailable,
          'may not be 0 when `maxSurge` is 0',
        ),
      ]
    : [];
}

export function statusProblems(object: ApiObject): readonly Problem[] {
  const status = (object.status ?? {}) as Readonly<Record<string, number | undefined>>;
  const counts = ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas'];
  const causes = counts.flatMap((name) => nonNegative(`status.${name}`, status[name]));
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  for (const name of ['fullyLabeledReplicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas']) {
    const value = status[name] ?? 0;
    if (value > replicas) causes.push(invalidValue(`status.${name}`, value, 'cannot be greater than status.replicas'));
  }
  if (availableReplicas > readyReplicas) {
    causes.push(invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than readyReplicas'));
  }
  return causes;
}

const rollingUpdate = (spec: JsonObject): JsonObject =>
  change(fill(spec, { strategy: {} }), 'strategy', (strategy) => {
    const typed = fill(strategy, { type: 'RollingUpdate' });
    if (typed.type !== 'RollingUpdate') return typed;
    return change(fill(typed, { rollingUpdate: {} }), 'rollingUpdate', (update) =>
      fill(update, { maxUnavailable: '25%', maxSurge: '25%' }),
    );
  });

export const deployment: KindRules = {
  default: (object) =>
    change(templateDefaults(object), 'spec', (spec) =>
      fill(rollingUpdate(spec), { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
    ),
  generation: 'content and annotations',
  validate(object) {
    const { spec } = readAs<Deployment>(object);
    const { progressDeadlineSeconds, minReadySeconds = 0 } = spec;
    return [
      ...nonNegative('spec.replicas', spec.replicas),
      ...workloadProblems(spec),
      ...strategyProblems(spec.strategy),
      ...nonNegative('spec.minReadySeconds', minReadySeconds),
      ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
      ...nonNegative('spec.progressDeadlineSeconds', progressDeadlineSeconds),
      ...(progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds
        ? [
            invalidValue(
              'spec.progressDeadlineSeconds',
              progressDeadlineSeconds,
              'must be greater than minReadySeconds',
            ),
          ]
        : []),
    ];
  },
  validateUpdate: fixedSelector,
  validateStatus: statusProblems,
  table: deploymentTable,
};

export const replicaSet: KindRules = {
  default: (object) => fillSpec({ replicas: 1 })(templateDefaults(object)),
  generation: 'content',
  validate(object) {
    const { spec } = readAs<ReplicaSet>(object);
    return [
      ...nonNegative('spec.replicas', spec.replicas),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...workloadProblems(spec),
    ];
  },
  validateUpdate: fixedSelector,
  validateStatus: statusProblems,
  fields: { 'status.replicas': (object) => String(at(object, 'status', 'replicas') ?? 0) },
  shortUnknownField: true,
  table: replicaSetTable,
};
