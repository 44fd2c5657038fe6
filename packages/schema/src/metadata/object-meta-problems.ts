/** What the API server refuses in ObjectMeta: of a whole object or of an embedded one, on creation and on update. */
import { equalJson, type ObjectMeta, type OwnerReference } from '@keelson/core';
import { fieldsInOrder } from '../wording/go-text.ts';
import { forbiddenField, invalidValue, type Problem, required, tooLong } from '../wording/problem.ts';
import { labelProblems, labelValueProblems, qualifiedNameProblems } from './name-rules.ts';

/** What a kind demands of the metadata of its objects. */
export interface ObjectMetaRules {
  readonly namespaced: boolean;
  /** `isPrefix` for generateName, of which the name is only the beginning. */
  nameProblems(name: string, isPrefix: boolean): readonly string[];
  /** Whether a finalizer must name a domain, save for those of Kubernetes itself. @default false */
  readonly qualifiedFinalizers?: boolean;
}

/** `metadata` has the form of ObjectMeta; `field` is where it stands. */
export function objectMetaProblems(
  metadata: ObjectMeta,
  { namespaced, nameProblems, qualifiedFinalizers = false }: ObjectMetaRules,
  field = 'metadata',
): readonly Problem[] {
  const { name, generateName, namespace, generation = 0, finalizers = [] } = metadata;
  const refuse = (texts: readonly string[], key: string, value: string) =>
    texts.map((text) => invalidValue(`${field}.${key}`, value, text));
  return [
    ...(generateName ? refuse(nameProblems(generateName, true), 'generateName', generateName) : []),
    ...(name
      ? refuse(nameProblems(name, false), 'name', name)
      : [required(`${field}.name`, 'name or generateName is required')]),
    ...(namespaced
      ? namespace
        ? refuse(labelProblems(namespace), 'namespace', namespace)
        : [required(`${field}.namespace`)]
      : namespace
        ? [forbiddenField(`${field}.namespace`, 'not allowed on this type')]
        : []),
    ...(generation < 0 ? [invalidValue(`${field}.generation`, generation, 'must be greater than or equal to 0')] : []),
    ...labelAndOwnerProblems(metadata, field),
    ...finalizerProblems(finalizers, `${field}.finalizers`),
    ...managedFieldsProblems(metadata.managedFields ?? [], `${field}.managedFields`),
    ...(qualifiedFinalizers ? unqualifiedFinalizerProblems(finalizers, `${field}.finalizers`) : []),
  ];
}

const immutable = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

/** The problems of an update, beside those of `objectMetaProblems`. */
export function objectMetaUpdateProblems(metadata: ObjectMeta, old: ObjectMeta): readonly Problem[] {
  const problems: Problem[] = [];
  if (old.deletionTimestamp) {
    const before = new Set(old.finalizers);
    const added = (metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)).sort();
    if (added.length > 0) {
      const shown = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`;
      problems.push(forbiddenField('metadata.finalizers', detail));
    }
  }
  for (const name of immutable) {
    const value = metadata[name];
    if (!equalJson(value, old[name])) {
      problems.push(invalidValue(`metadata.${name}`, value ?? null, 'field is immutable'));
    }
  }
  return [...problems, ...labelAndOwnerProblems(metadata, 'metadata')];
}

function labelAndOwnerProblems(metadata: ObjectMeta, field: string): readonly Problem[] {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return [
    ...labelMapProblems(labels, `${field}.labels`),
    ...annotationProblems(annotations, `${field}.annotations`),
    ...ownerProblems(ownerReferences, `${field}.ownerReferences`),
  ];
}

/** What is wrong with a map of labels, wherever it stands. */
export function labelMapProblems(labels: Readonly<Record<string, string>>, field: string): readonly Problem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((text) => invalidValue(field, key, text)),
    ...labelValueProblems(value).map((text) => invalidValue(field, value, text)),
  ]);
}

const maxAnnotationBytes = 256 * 1024;

type Annotations = Readonly<Record<string, string>>;

/** Whether they are more than the API server takes, which counts the bytes of all names and values together. */
export function areTooLarge(annotations: Annotations): boolean {
  const sizes = Object.entries(annotations).map(([key, value]) => Buffer.byteLength(key) + Buffer.byteLength(value));
  return sizes.reduce((sum, each) => sum + each, 0) > maxAnnotationBytes;
}

function annotationProblems(annotations: Annotations, field: string): readonly Problem[] {
  return [
    ...Object.keys(annotations).flatMap((key) =>
      qualifiedNameProblems(key.toLowerCase()).map((text) => invalidValue(field, key, text)),
    ),
    ...(areTooLarge(annotations) ? [tooLong(field, maxAnnotationBytes)] : []),
  ];
}

// The fields of all owners are named alike, without an index: so does the real server.
function ownerProblems(owners: readonly OwnerReference[], field: string): readonly Problem[] {
  let controller: string | undefined;
  return owners.flatMap((owner) => {
    const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
    const problems = [
      ...(/^[^/]*(\/[^/]+)?$/.test(apiVersion) && apiVersion !== ''
        ? []
        : [invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty')]),
      ...Object.entries({ kind, name, uid }).flatMap(([key, value]) =>
        value === '' ? [invalidValue(`${field}.${key}`, value, 'must not be empty')] : [],
      ),
    ];
    if (apiVersion === 'v1' && kind === 'Event') {
      const detail = '/v1, Kind=Event is disallowed from being an owner';
      problems.push(invalidValue(field, fieldsInOrder(ordered(owner)), detail));
    }
    if (owner.controller !== true) return problems;
    const found = `${kind}/${name}`;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      problems.push(invalidValue(field, fieldsInOrder(owners.map(ordered)), detail));
    }
    controller ??= found;
    return problems;
  });
}

function ordered(owner: OwnerReference): OwnerReference {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = owner;
  return { apiVersion, kind, name, uid, controller, blockOwnerDeletion };
}

function finalizerProblems(finalizers: readonly string[], field: string): readonly Problem[] {
  return [
    ...finalizers.flatMap((name) => qualifiedNameProblems(name).map((text) => invalidValue(field, name, text))),
    ...(finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
      ? [invalidValue(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

function unqualifiedFinalizerProblems(finalizers: readonly string[], field: string): readonly Problem[] {
  const detail = 'name is neither a standard finalizer name nor is it fully qualified';
  return finalizers.flatMap((name, index) =>
    name.includes('/') || standardFinalizers.includes(name) ? [] : [invalidValue(`${field}[${index}]`, name, detail)],
  );
}

function managedFieldsProblems(entries: NonNullable<ObjectMeta['managedFields']>, field: string): readonly Problem[] {
  return entries.flatMap(({ operation = '', fieldsType = '', manager = '', subresource = '' }, index) => {
    const place = `${field}[${index}]`;
    return [
      ...(operation === 'Apply' || operation === 'Update'
        ? []
        : [invalidValue(`${place}.operation`, operation, 'must be `Apply` or `Update`')]),
      ...(fieldsType === '' || fieldsType === 'FieldsV1'
        ? []
        : [invalidValue(`${place}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
      ...managerProblems(manager, `${place}.manager`),
      ...(Buffer.byteLength(subresource) > 256 ? [tooLong(`${place}.subresource`, 256)] : []),
    ];
  });
}

/** What is refused in the name of a field manager. */
export function managerProblems(manager: string, field: string): readonly Problem[] {
  const problems = Buffer.byteLength(manager) > 128 ? [tooLong(field, 128)] : [];
  let position = 0;
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      problems.push(invalidValue(field, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
  return problems;
}
