/** What the server demands of the metadata of every object, on creation and on update. */
import { equalJson, type ObjectMeta, type OwnerReference } from '@keelson/core';
import type { Cause } from '@keelson/schema';
import { forbiddenField, invalidValue, required, tooLong } from '../field-error.ts';
import type { ApiObject } from '../object.ts';
import { labelProblems, labelValueProblems, qualifiedNameProblems } from './names.ts';

export interface MetadataRules {
  readonly namespaced: boolean;
  /** Finalizers must name a domain, save for those of Kubernetes itself. */
  readonly qualifiedFinalizers: boolean;
  nameProblems(name: string, prefix: boolean): readonly string[];
}

const maxAnnotationBytes = 256 * 1024;

export function metadataProblems(
  { metadata }: ApiObject,
  { namespaced, nameProblems, qualifiedFinalizers }: MetadataRules,
): readonly Cause[] {
  const { generateName, name, namespace } = metadata;
  const causes: Cause[] = [];
  if (generateName) {
    for (const problem of nameProblems(generateName, true)) {
      causes.push(invalidValue('metadata.generateName', generateName, problem));
    }
  }
  if (!name) causes.push(required('metadata.name', 'name or generateName is required'));
  else for (const problem of nameProblems(name, false)) causes.push(invalidValue('metadata.name', name, problem));
  if (namespaced) {
    if (!namespace) causes.push(required('metadata.namespace'));
    else
      for (const problem of labelProblems(namespace))
        causes.push(invalidValue('metadata.namespace', namespace, problem));
  } else if (namespace) causes.push(forbiddenField('metadata.namespace', 'not allowed on this type'));
  return [...causes, ...commonProblems(metadata), ...finalizerProblems(metadata.finalizers ?? [], qualifiedFinalizers)];
}

function commonProblems({ labels = {}, annotations = {}, ownerReferences = [] }: ObjectMeta): readonly Cause[] {
  return [
    ...labelsProblems(labels, 'metadata.labels'),
    ...annotationProblems(annotations),
    ...ownerProblems(ownerReferences),
  ];
}

export function labelsProblems(labels: Readonly<Record<string, string>>, field: string): readonly Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalidValue(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue(field, value, problem)),
  ]);
}

function annotationProblems(annotations: Readonly<Record<string, string>>): readonly Cause[] {
  const causes = Object.keys(annotations).flatMap((key) =>
    qualifiedNameProblems(key.toLowerCase()).map((problem) => invalidValue('metadata.annotations', key, problem)),
  );
  const bytes = Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > maxAnnotationBytes) causes.push(tooLong('metadata.annotations', maxAnnotationBytes));
  return causes;
}

function ownerProblems(owners: readonly OwnerReference[]): readonly Cause[] {
  const field = 'metadata.ownerReferences';
  const causes: Cause[] = [];
  let controller: string | undefined;
  for (const owner of owners) {
    const { apiVersion, kind, name, uid } = owner;
    if (!apiVersion || apiVersion.endsWith('/')) {
      causes.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
    }
    if (!kind) causes.push(invalidValue(`${field}.kind`, kind, 'must not be empty'));
    if (!name) causes.push(invalidValue(`${field}.name`, name, 'must not be empty'));
    if (!uid) causes.push(invalidValue(`${field}.uid`, uid, 'must not be empty'));
    if (apiVersion === 'v1' && kind === 'Event') {
      causes.push(invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) continue;
    const current = `${kind}/${name}`;
    if (controller !== undefined) {
      causes.push(
        invalidValue(
          field,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${current}`,
        ),
      );
    }
    controller ??= current;
  }
  return causes;
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

function finalizerProblems(finalizers: readonly string[], qualified: boolean): readonly Cause[] {
  const field = 'metadata.finalizers';
  const causes = finalizers.flatMap((finalizer) =>
    qualifiedNameProblems(finalizer).map((problem) => invalidValue(field, finalizer, problem)),
  );
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    causes.push(invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  }
  if (qualified) {
    finalizers.forEach((finalizer, index) => {
      if (finalizer.includes('/') || standardFinalizers.includes(finalizer)) return;
      const why = 'name is neither a standard finalizer name nor is it fully qualified';
      causes.push(invalidValue(`${field}[${index}]`, finalizer, why));
    });
  }
  return causes;
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The checks of an update, beside those of `metadataProblems`. */
export function metadataUpdateProblems(object: ApiObject, old: ApiObject): readonly Cause[] {
  const causes: Cause[] = [];
  if (old.metadata.deletionTimestamp) {
    const before = new Set(old.metadata.finalizers);
    const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
      causes.push(
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`,
        ),
      );
    }
  }
  for (const name of immutable) {
    const value = object.metadata[name];
    if (!equalJson(value, old.metadata[name])) {
      causes.push(invalidValue(`metadata.${name}`, value ?? null, 'field is immutable'));
    }
  }
  return [...causes, ...commonProblems(object.metadata)];
}
