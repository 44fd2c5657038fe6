/** Claims, volumes and classes: phases, what binds them, and what may change once it is said. */

import { compareQuantities, equalJson, parseQuantity, timestamp } from '@keelson/core';
import type { StorageClass } from '@keelson/core/storage/v1';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec } from '@keelson/core/v1';
import {
  forbiddenField,
  invalidValue,
  type Problem,
  required,
  subdomainProblems,
  unsupportedValue,
} from '@keelson/schema/validation';
import { type ApiObject, at, type JsonObject, put, readAs, without } from '../../../object.ts';
import { selectorProblems } from '../../../validate/selector.ts';
import { change, fill, fillSpec } from './fill.ts';
import type { KindRules } from './kind-rules.ts';

const inPhase = <T extends JsonObject>(object: T, phase: string): T =>
  change(fill(object, { status: {} }), 'status', (status) => fill(status, { phase }));

/** Also of the templates in a StatefulSet. */
export const claimDefaults = <T extends JsonObject>(claim: T): T =>
  inPhase(
    change(claim, 'spec', (spec) => fill(spec, { volumeMode: 'Filesystem' })),
    'Pending',
  );

const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

function modeProblems(found: readonly string[], field: string): readonly Problem[] {
  const known = found.filter((mode) => modes.includes(mode));
  const isMixed = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod');
  return [
    ...found.filter((mode) => !modes.includes(mode)).map((mode) => unsupportedValue(field, mode, modes)),
    ...(isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

const quantityOf = (value: unknown) => parseQuantity(String(value ?? '0'));
const positive = (value: unknown, field: string): readonly Problem[] =>
  compareQuantities(quantityOf(value), parseQuantity('0')) > 0
    ? []
    : [invalidValue(field, String(value), 'must be greater than zero')];

const volumeModeProblems = (mode: string | undefined, field: string): readonly Problem[] =>
  mode === undefined || ['Block', 'Filesystem'].includes(mode)
    ? []
    : [unsupportedValue(field, mode, ['Block', 'Filesystem'])];

const classNameProblems = (name: string | undefined, field: string): readonly Problem[] =>
  name ? subdomainProblems(name).map((problem) => invalidValue(field, name, problem)) : [];

export function claimSpecProblems(spec: PersistentVolumeClaimSpec, field: string): readonly Problem[] {
  const { accessModes = [], selector } = spec;
  const size = spec.resources?.requests?.storage;
  const sizeField = `${field}.resources[storage]`;
  return [
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`, 'at least 1 access mode is required')] : []),
    ...(selector ? selectorProblems(selector, `${field}.selector`) : []),
    ...modeProblems(accessModes, `${field}.accessModes`),
    ...(size === undefined ? [required(sizeField)] : positive(size, sizeField)),
    ...classNameProblems(spec.storageClassName, `${field}.storageClassName`),
    ...volumeModeProblems(spec.volumeMode, `${field}.volumeMode`),
  ];
}

/** A claim keeps what it asked for; a bound one may ask for more room. */
function claimUpdateProblems(object: ApiObject, old: ApiObject): readonly Problem[] {
  const [before, after] = [readAs<PersistentVolumeClaim>(old), readAs<PersistentVolumeClaim>(object)];
  const isBound = after.status.phase === 'Bound';
  const fixed = ({ spec }: PersistentVolumeClaim): JsonObject => {
    const rest = without(
      spec as JsonObject,
      ...(before.spec.volumeName ? [] : ['volumeName']),
      ...(before.spec.storageClassName === undefined ? ['storageClassName'] : []),
      ...(isBound ? ['volumeAttributesClassName'] : []),
    );
    return isBound ? put(rest as ApiObject, ['resources', 'requests', 'storage'], undefined) : rest;
  };
  const [old_, new_] = [before.spec.resources?.requests?.storage, after.spec.resources?.requests?.storage];
  const isSmaller = compareQuantities(quantityOf(new_), quantityOf(old_)) < 0;
  const isTooSmall = isSmaller && compareQuantities(quantityOf(new_), quantityOf(before.status.capacity?.storage)) <= 0;
  return [
    ...(equalJson(fixed(before), fixed(after))
      ? []
      : [
          forbiddenField(
            'spec',
            'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ),
        ]),
    ...(isTooSmall
      ? [forbiddenField('spec.resources.requests.storage', 'field can not be less than status.capacity')]
      : []),
    ...(before.spec.volumeMode === after.spec.volumeMode
      ? []
      : [invalidValue('volumeMode', after.spec.volumeMode, 'field is immutable')]),
  ];
}

export const persistentVolumeClaim: KindRules = {
  returnsDeleted: true,
  default: claimDefaults,
  prepareForCreate: (object) => inPhase(object, 'Pending'),
  validate: (object) => claimSpecProblems(readAs<PersistentVolumeClaim>(object).spec, 'spec'),
  validateUpdate: claimUpdateProblems,
};

const transitionTime = ['status', 'lastPhaseTransitionTime'];
const sources = (spec: JsonObject): JsonObject =>
  without(
    spec,
    'accessModes',
    'capacity',
    'claimRef',
    'mountOptions',
    'nodeAffinity',
    'persistentVolumeReclaimPolicy',
    'storageClassName',
    'volumeAttributesClassName',
    'volumeMode',
  );

export const persistentVolume: KindRules = {
  returnsDeleted: true,
  default: (object) =>
    inPhase(
      fillSpec({ volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' })(
        change(object, 'spec', (spec) => change(spec, 'hostPath', (path) => fill(path, { type: '' }))),
      ),
      'Pending',
    ),
  prepareForCreate: (object, { now }) => put(inPhase(object, 'Pending'), transitionTime, timestamp(now)),
  /** Whoever changes the phase need not say when. */
  prepareForStatus(object, old, { now }) {
    const [before, after] = [at(old, ...transitionTime), at(object, ...transitionTime)];
    const isSame = at(old, 'status', 'phase') === at(object, 'status', 'phase');
    if (isSame) return after === undefined ? put(object, transitionTime, before) : object;
    return after === undefined || after === before ? put(object, transitionTime, timestamp(now)) : object;
  },
  validate(object) {
    const { spec } = readAs<PersistentVolume>(object);
    const { accessModes = [], capacity = {}, persistentVolumeReclaimPolicy: policy } = spec;
    const policies = ['Delete', 'Recycle', 'Retain'];
    const isKnown = Object.keys(capacity).length === 1 && capacity.storage !== undefined;
    return [
      ...(accessModes.length === 0 ? [required('spec.accessModes')] : []),
      ...modeProblems(accessModes, 'spec.accessModes'),
      ...(Object.keys(capacity).length === 0 ? [required('spec.capacity')] : []),
      ...(isKnown
        ? positive(capacity.storage, 'spec.capacity[storage]')
        : [unsupportedValue('spec.capacity', spec.capacity ?? null, ['storage'])]),
      ...(policy && !policies.includes(policy)
        ? [unsupportedValue('spec.persistentVolumeReclaimPolicy', policy, policies)]
        : []),
      ...(Object.keys(sources(spec as JsonObject)).length === 0
        ? [required('spec', 'must specify a volume type')]
        : []),
      ...classNameProblems(spec.storageClassName, 'spec.storageClassName'),
      ...volumeModeProblems(spec.volumeMode, 'spec.volumeMode'),
    ];
  },
  validateUpdate(object, old) {
    const [before, after] = [old.spec as JsonObject, object.spec as JsonObject];
    return [
      ...(equalJson(sources(before), sources(after))
        ? []
        : [forbiddenField('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')]),
      ...(before.volumeMode === after.volumeMode
        ? []
        : [invalidValue('volumeMode', after.volumeMode, 'field is immutable')]),
    ];
  },
};

const bindingModes = ['Immediate', 'WaitForFirstConsumer'];
const reclaimPolicies = ['Delete', 'Retain'];

export const storageClass: KindRules = {
  returnsDeleted: true,
  default: (object) => fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validate(object) {
    const { provisioner, reclaimPolicy = '', volumeBindingMode = '' } = readAs<StorageClass>(object);
    return [
      ...(provisioner ? [] : [required('provisioner')]),
      ...(reclaimPolicies.includes(reclaimPolicy)
        ? []
        : [unsupportedValue('reclaimPolicy', reclaimPolicy, reclaimPolicies)]),
      ...(bindingModes.includes(volumeBindingMode)
        ? []
        : [unsupportedValue('volumeBindingMode', volumeBindingMode, bindingModes)]),
    ];
  },
  validateUpdate: (object, old) =>
    ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode']
      .filter((name) => !equalJson(object[name], old[name]))
      .map((name) => invalidValue(name, object[name] ?? null, 'field is immutable')),
};
