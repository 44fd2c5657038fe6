/** What the API server refuses in ObjectMeta, on creation. */
import { type Cause, forbidden, invalid, required, tooLong } from '../wording/cause.ts';
import { isObject, Verbatim } from '../wording/go-text.ts';
import { dns1123Label, labelValue, type NameRule, qualifiedName } from './name-rules.ts';

export interface ObjectMetaRules {
  readonly isNamespaced: boolean;
  readonly name: NameRule;
  /** For generateName, of which the name is only the beginning. */
  readonly namePrefix: NameRule;
}

type Meta = Readonly<Record<string, unknown>>;

/** `metadata` has the form of ObjectMeta; `field` is where it stands. */
export function objectMetaCauses(metadata: Meta, field: string, rules: ObjectMetaRules): readonly Cause[] {
  const { name = '', generateName = '', generation = 0 } = metadata;
  return [
    ...refusals(rules.namePrefix, generateName, `${field}.generateName`),
    ...(name === ''
      ? [required(`${field}.name`, 'name or generateName is required')]
      : refusals(rules.name, name, `${field}.name`)),
    ...namespaceCauses(metadata.namespace, `${field}.namespace`, rules.isNamespaced),
    ...(Number(generation) < 0
      ? [invalid(`${field}.generation`, generation, 'must be greater than or equal to 0')]
      : []),
    ...labelCauses(metadata.labels, `${field}.labels`),
    ...annotationCauses(metadata.annotations, `${field}.annotations`),
    ...ownerCauses(metadata.ownerReferences, `${field}.ownerReferences`),
    ...finalizerCauses(metadata.finalizers, `${field}.finalizers`),
    ...managedFieldsCauses(metadata.managedFields, `${field}.managedFields`),
  ];
}

function refusals(rule: NameRule, value: unknown, field: string): readonly Cause[] {
  return value === '' ? [] : rule(String(value)).map((message) => invalid(field, value, message));
}

function namespaceCauses(namespace: unknown, field: string, isNamespaced: boolean): readonly Cause[] {
  const isThere = namespace !== undefined && namespace !== '';
  if (isNamespaced) return isThere ? refusals(dns1123Label, namespace, field) : [required(field)];
  return isThere ? [forbidden(field, 'not allowed on this type')] : [];
}

function labelCauses(labels: unknown, field: string): readonly Cause[] {
  return Object.entries(isObject(labels) ? labels : {}).flatMap(([key, value]) => [
    ...qualifiedName(key).map((message) => invalid(field, key, message)),
    ...labelValue(String(value)).map((message) => invalid(field, value, message)),
  ]);
}

const annotationBytes = 256 * 1024;

function annotationCauses(annotations: unknown, field: string): readonly Cause[] {
  const entries = Object.entries(isObject(annotations) ? annotations : {});
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
  return [
    ...entries.flatMap(([key]) => qualifiedName(key.toLowerCase()).map((message) => invalid(field, key, message))),
    ...(bytes > annotationBytes ? [tooLong(field, annotationBytes)] : []),
  ];
}

// The fields of all owners are named alike, without an index: so does the real server.
function ownerCauses(owners: unknown, field: string): readonly Cause[] {
  let controller: string | undefined;
  return items(owners).flatMap((owner) => {
    const { apiVersion = '', kind = '', name = '', uid = '' } = owner;
    const causes = [
      ...(/^[^/]*(\/[^/]+)?$/.test(String(apiVersion)) && apiVersion !== ''
        ? []
        : [invalid(`${field}.apiVersion`, apiVersion, 'version must not be empty')]),
      ...Object.entries({ kind, name, uid }).flatMap(([key, value]) =>
        value === '' ? [invalid(`${field}.${key}`, value, 'must not be empty')] : [],
      ),
    ];
    if (apiVersion === 'v1' && kind === 'Event') {
      causes.push(invalid(field, ordered(owner), '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner.controller !== true) return causes;
    const found = `${kind}/${name}`;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${found}`;
      causes.push(invalid(field, new Verbatim(`[${items(owners).map((each) => ordered(each).json)}]`), detail));
    }
    controller ??= found;
    return causes;
  });
}

function ordered(owner: Meta): Verbatim {
  const { apiVersion = '', kind = '', name = '', uid = '', controller, blockOwnerDeletion } = owner;
  return new Verbatim(JSON.stringify({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }));
}

function finalizerCauses(finalizers: unknown, field: string): readonly Cause[] {
  const names = Array.isArray(finalizers) ? finalizers.map(String) : [];
  return [
    ...names.flatMap((name) => qualifiedName(name).map((message) => invalid(field, name, message))),
    ...(names.includes('orphan') && names.includes('foregroundDeletion')
      ? [invalid(field, names, 'finalizer orphan and foregroundDeletion cannot be both set')]
      : []),
  ];
}

function managedFieldsCauses(entries: unknown, field: string): readonly Cause[] {
  return items(entries).flatMap(({ operation = '', fieldsType = '', manager = '', subresource = '' }, index) => {
    const place = `${field}[${index}]`;
    return [
      ...(operation === 'Apply' || operation === 'Update'
        ? []
        : [invalid(`${place}.operation`, operation, 'must be `Apply` or `Update`')]),
      ...(fieldsType === '' || fieldsType === 'FieldsV1'
        ? []
        : [invalid(`${place}.fieldsType`, fieldsType, 'must be `FieldsV1`')]),
      ...managerCauses(String(manager), `${place}.manager`),
      ...(Buffer.byteLength(String(subresource)) > 256 ? [tooLong(`${place}.subresource`, 256)] : []),
    ];
  });
}

/** What is refused in the name of a field manager. */
function managerCauses(manager: string, field: string): readonly Cause[] {
  const causes = Buffer.byteLength(manager) > 128 ? [tooLong(field, 128)] : [];
  let position = 0;
  for (const char of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char)) {
      const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      causes.push(invalid(field, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(char);
  }
  return causes;
}

function items(value: unknown): readonly Meta[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
