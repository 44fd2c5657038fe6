/** DaemonSets: defaults, the number of their template, and the bounds of their updates. */

import { equalJson } from '@keelson/core';
import type { DaemonSet } from '@keelson/core/apps/v1';
import { invalidValue, type Problem, required, unsupportedValue } from '@keelson/schema/validation';
import { type ApiObject, at, type JsonObject, readAs } from '../../../object.ts';
import { daemonSetTable } from '../tables/workloads.ts';
import { change, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { templateDefaults } from './pod-defaults.ts';
import { nonNegative } from './pod-validation.ts';
import { fixedSelector, workloadProblems } from './workloads.ts';

const generationAnnotation = 'deprecated.daemonset.template.generation';

const strategyDefaults = (strategy: JsonObject): JsonObject => {
  const typed = fill(strategy, { type: 'RollingUpdate' });
  if (typed.type !== 'RollingUpdate') return typed;
  return change(fill(typed, { rollingUpdate: {} }), 'rollingUpdate', (update) =>
    fill(update, { maxUnavailable: 1, maxSurge: 0 }),
  );
};

/** The template's number is kept in an annotation, and counts whatever a user writes there. */
function numbered(object: ApiObject, generation: number): ApiObject {
  const annotations = { ...object.metadata.annotations, [generationAnnotation]: String(generation) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

const isNone = (value: unknown): boolean => value === undefined || value === 0 || /^0+%$/.test(String(value));

function boundProblems(value: string | number | undefined, field: string): readonly Problem[] {
  if (typeof value === 'number') return nonNegative(field, value);
  if (value === undefined) return [];
  const [, percent] = /^(\d+)%$/.exec(value) ?? [];
  if (percent === undefined) {
    const why =
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalidValue(field, value, why)];
  }
  return Number(percent) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}

function strategyProblems({ updateStrategy = {} }: DaemonSet['spec']): readonly Problem[] {
  const { type, rollingUpdate } = updateStrategy;
  const field = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [unsupportedValue(`${field}.type`, type ?? '', ['OnDelete', 'RollingUpdate'])];
  if (!rollingUpdate) return [required(`${field}.rollingUpdate`)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const [none, noSurge] = [isNone(maxUnavailable), isNone(maxSurge)];
  const at = `${field}.rollingUpdate`;
  return [
    ...boundProblems(maxUnavailable, `${at}.maxUnavailable`),
    ...boundProblems(maxSurge, `${at}.maxSurge`),
    ...(!none && !noSurge
      ? [invalidValue(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(none && noSurge ? [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')] : []),
  ];
}

const counts = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

export const daemonSet: KindRules = {
  default: (object) =>
    change(templateDefaults(object), 'spec', (spec) =>
      change(fill(spec, { revisionHistoryLimit: 10, updateStrategy: {} }), 'updateStrategy', strategyDefaults),
    ),
  generation: 'content',
  prepareForCreate: (object) => numbered(object, 1),
  prepareForUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[generationAnnotation] ?? 0);
    const isSame = equalJson(at(object, 'spec', 'template'), at(old, 'spec', 'template'));
    return numbered(object, isSame ? before : before + 1);
  },
  validate(object) {
    const { spec } = readAs<DaemonSet>(object);
    return [
      ...workloadProblems(spec, { selector: 'daemonset', deadline: 'DaemonSet' }),
      ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
      ...strategyProblems(spec),
      ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ];
  },
  validateUpdate: fixedSelector,
  validateStatus: (object) => counts.flatMap((name) => nonNegative(`status.${name}`, at(object, 'status', name))),
  table: daemonSetTable,
};
