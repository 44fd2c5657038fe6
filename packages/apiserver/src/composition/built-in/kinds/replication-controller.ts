/** ReplicationControllers: selector and labels come from the template where they are not given. */

import type { ReplicationController } from '@keelson/core/v1';
import { invalidValue, type Problem, required } from '@keelson/schema/validation';
import { type ApiObject, at, isObject, readAs } from '../../../object.ts';
import { change, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { templateDefaults } from './pod-defaults.ts';
import { nonNegative } from './pod-validation.ts';
import { statusProblems, workloadProblems } from './workloads.ts';

const isEmpty = (value: unknown): boolean => !isObject(value) || Object.keys(value).length === 0;

function labelled(object: ApiObject): ApiObject {
  const labels = at(object, 'spec', 'template', 'metadata', 'labels');
  if (!isObject(labels)) return object;
  const selecting = change(object, 'spec', (spec) => (isEmpty(spec.selector) ? { ...spec, selector: labels } : spec));
  if (!isEmpty(object.metadata.labels)) return selecting;
  return { ...selecting, metadata: { ...selecting.metadata, labels: labels as Record<string, string> } };
}

function problems(object: ApiObject): readonly Problem[] {
  const { spec } = readAs<ReplicationController>(object);
  const { selector = {}, template } = spec;
  const isSelective = Object.keys(selector).length > 0;
  return [
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...(isSelective ? [] : [required('spec.selector')]),
    ...nonNegative('spec.replicas', spec.replicas),
    ...(template === undefined ? [required('spec.template')] : templateProblems(selector, template)),
  ];
}

/** Without a selector, none is held against the labels. */
function templateProblems(
  selector: Readonly<Record<string, string>>,
  template: NonNullable<ReplicationController['spec']['template']>,
): readonly Problem[] {
  const called = { selector: 'replicationcontroller', deadline: 'ReplicationController' };
  const { labels } = template.metadata ?? {};
  const isMatch = Object.entries(selector).every(([name, value]) => labels?.[name] === value);
  const field = 'spec.template.metadata.labels';
  return [
    ...(isMatch ? [] : [invalidValue(field, labels ?? null, '`selector` does not match template `labels`')]),
    ...workloadProblems({ selector: { matchLabels: labels ?? {} }, template }, called).filter(
      (each) => each.field !== 'spec.selector',
    ),
  ];
}

export const replicationController: KindRules = {
  default: (object) => change(labelled(templateDefaults(object)), 'spec', (spec) => fill(spec, { replicas: 1 })),
  generation: 'content',
  validate: problems,
  validateStatus: statusProblems,
  orphansDependents: true,
  fields: { 'status.replicas': (object) => String(at(object, 'status', 'replicas') ?? 0) },
  shortUnknownField: true,
};
