/** StatefulSets, and the ControllerRevisions in which they and DaemonSets keep their templates. */

import { equalJson } from '@keelson/core';
import type { StatefulSet, StatefulSetStatus } from '@keelson/core/apps/v1';
import {
  fieldsInOrder,
  forbiddenField,
  invalidValue,
  labelProblems,
  orPrefix,
  type Problem,
  required,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, at, isObject, type JsonObject, put, readAs, without } from '../../../object.ts';
import { statefulSetTable } from '../tables/workloads.ts';
import { change, changeEach, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { templateDefaults } from './pod-defaults.ts';
import { nonNegative } from './pod-validation.ts';
import { claimDefaults, claimSpecProblems } from './storage.ts';
import { workloadProblems } from './workloads.ts';

const asSet = (object: ApiObject): StatefulSet => readAs<StatefulSet>(object);

function strategyDefaults(strategy: JsonObject): JsonObject {
  const typed =
    strategy.type === undefined ? fill({ ...strategy, type: 'RollingUpdate' }, { rollingUpdate: {} }) : strategy;
  return typed.type === 'RollingUpdate'
    ? change(typed, 'rollingUpdate', (update) => fill(update, { partition: 0 }))
    : typed;
}

const defaults = (spec: JsonObject): JsonObject => {
  const filled = fill(spec, {
    podManagementPolicy: 'OrderedReady',
    updateStrategy: {},
    persistentVolumeClaimRetentionPolicy: {},
    replicas: 1,
    revisionHistoryLimit: 10,
  });
  const strategic = change(filled, 'updateStrategy', strategyDefaults);
  const retaining = change(strategic, 'persistentVolumeClaimRetentionPolicy', (policy) =>
    fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  );
  return changeEach(retaining, 'volumeClaimTemplates', (claim) =>
    claimDefaults(fill(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' })),
  );
};

/** Its gate is closed by default: what is asked for is forgotten, unless it was there before. */
function withoutMaxUnavailable(object: ApiObject, old?: ApiObject): ApiObject {
  const path = ['spec', 'updateStrategy', 'rollingUpdate', 'maxUnavailable'];
  if (at(object, ...path) === undefined || (old && at(old, ...path) !== undefined)) return object;
  return put(object, path, undefined);
}

/** Refusals show the server's own structure. */
const inGo = ({ partition = 0 }: { readonly partition?: number | undefined }) => ({
  Partition: partition,
  MaxUnavailable: null,
});

function strategyProblems({ updateStrategy = {} }: StatefulSet['spec']): readonly Problem[] {
  const { type, rollingUpdate } = updateStrategy;
  const field = 'spec.updateStrategy';
  if (type === 'OnDelete') {
    const why = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate ? [invalidValue(`${field}.rollingUpdate`, fieldsInOrder(inGo(rollingUpdate)), why)] : [];
  }
  if (type === 'RollingUpdate') return nonNegative(`${field}.rollingUpdate.partition`, rollingUpdate?.partition);
  const shown = { Type: type, RollingUpdate: rollingUpdate ? inGo(rollingUpdate) : null };
  return [invalidValue(field, fieldsInOrder(shown), "must be 'RollingUpdate' or 'OnDelete'")];
}

function specProblems(spec: StatefulSet['spec']): readonly Problem[] {
  const policies = ['OrderedReady', 'Parallel'];
  const policy = spec.podManagementPolicy ?? '';
  const retention = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return [
    ...(policies.includes(policy)
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")]),
    ...strategyProblems(spec),
    ...(['whenDeleted', 'whenScaled'] as const).flatMap((name) => {
      const value: string = retention[name] ?? '';
      const field = `spec.persistentVolumeClaimRetentionPolicy.${name}`;
      return ['Retain', 'Delete'].includes(value) ? [] : [unsupportedValue(field, value, ['Retain', 'Delete'])];
    }),
  ];
}

function countProblems(spec: StatefulSet['spec']): readonly Problem[] {
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
  ];
}

const called = { selector: 'statefulset', deadline: 'StatefulSet' };
const changeable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function statusProblems(object: ApiObject, old: ApiObject): readonly Problem[] {
  const status = (object.status ?? {}) as StatefulSetStatus;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, collisionCount = 0 } = status;
  const parts = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;
  const counts = ['replicas', ...parts, 'observedGeneration', 'collisionCount'] as const;
  const before = Number(at(old, 'status', 'collisionCount') ?? 0);
  return [
    ...counts.flatMap((name) => nonNegative(`status.${name}`, status[name])),
    ...parts
      .filter((name) => (status[name] ?? 0) > replicas)
      .map((name) => invalidValue(`status.${name}`, status[name], 'cannot be greater than status.replicas')),
    ...(availableReplicas > readyReplicas
      ? [invalidValue('status.availableReplicas', availableReplicas, 'cannot be greater than status.readyReplicas')]
      : []),
    ...(collisionCount < before
      ? [invalidValue('status.collisionCount', collisionCount, 'cannot be decremented')]
      : []),
  ];
}

export const statefulSet: KindRules = {
  default: (object) => change(templateDefaults(object), 'spec', defaults),
  generation: 'content',
  prepareForCreate: (object) => withoutMaxUnavailable(object),
  prepareForUpdate: (object, old) => withoutMaxUnavailable(object, old),
  validate(object) {
    const { spec } = asSet(object);
    return [
      ...specProblems(spec),
      ...(spec.volumeClaimTemplates ?? []).flatMap((claim, index) =>
        claimSpecProblems(claim.spec ?? {}, `spec.volumeClaimTemplates[${index}].spec`),
      ),
      ...countProblems(spec),
      ...labelOf('spec.serviceName', spec.serviceName),
      ...workloadProblems(spec, called),
    ];
  },
  /** What cannot change is not judged again. */
  validateChanged(object) {
    const { spec } = asSet(object);
    return [...specProblems(spec), ...countProblems(spec), ...workloadProblems(spec, called)];
  },
  validateUpdate(object, old) {
    const fixed = (each: ApiObject) => without(each.spec as JsonObject, ...changeable);
    if (equalJson(fixed(object), fixed(old))) return [];
    return [
      forbiddenField(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    ];
  },
  validateStatus: statusProblems,
  warnings: (object) =>
    Number(asSet(object).spec?.revisionHistoryLimit ?? 0) < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : [],
  nameProblems: orPrefix(labelProblems),
  table: statefulSetTable,
};

const labelOf = (field: string, value: string | undefined): readonly Problem[] =>
  value ? labelProblems(value).map((problem) => invalidValue(field, value, problem)) : [];

export const controllerRevision: KindRules = {
  validate(object) {
    return [
      ...nonNegative('revision', object.revision),
      ...(object.data == null
        ? [required('data', 'data is mandatory')]
        : isObject(object.data)
          ? []
          : [required('data', 'data must be a valid JSON object')]),
    ];
  },
  validateChanged: (object) => nonNegative('revision', object.revision),
  validateUpdate: (object, old) =>
    equalJson(object.data, old.data) ? [] : [invalidValue('data', object.data, 'field is immutable')],
};
