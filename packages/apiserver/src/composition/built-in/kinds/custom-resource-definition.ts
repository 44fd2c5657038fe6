/** The kind CustomResourceDefinition itself: defaults, and what the server refuses in a definition. */

import { equalJson } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import {
  duplicateValue,
  fieldsInOrder,
  forbiddenField,
  invalidValue,
  label1035Problems,
  labelProblems,
  type Problem,
  required,
  structuralProblems,
  structuralWarnings,
  subdomainProblems,
  unsupportedValue,
} from '@keelson/schema/validation';
import { plainTable } from '../../../encode/table-columns.ts';
import { type ApiObject, type JsonObject, put, withMetadata } from '../../../object.ts';
import {
  asDefinition,
  cleanupFinalizer,
  type Definition,
  isConditionTrue,
  storageVersion,
  versionsOf,
  withCondition,
} from '../../custom-resources/definition.ts';
import { change, fill } from './fill.ts';
import type { KindRules } from './kind-rules.ts';
import { clientConfigProblems, reviewVersionProblems } from './webhook-client-problems.ts';

const withPort = (conversion: JsonObject): JsonObject =>
  change(conversion, 'webhook', (webhook) =>
    change(webhook, 'clientConfig', (client) => change(client, 'service', (service) => fill(service, { port: 443 }))),
  );

const defaults = (spec: JsonObject): JsonObject =>
  change(change(fill(spec, { conversion: { strategy: 'None' } }), 'conversion', withPort), 'names', (names) => {
    const kind = typeof names.kind === 'string' ? names.kind : '';
    return kind === '' ? names : fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` });
  });

function nameProblems({ names, group }: Definition['spec']): readonly Problem[] {
  const causes: Problem[] = [];
  if (!group) causes.push(required('spec.group'));
  else {
    for (const problem of subdomainProblems(group)) causes.push(invalidValue('spec.group', group, problem));
    if (group.split('.').length < 2) {
      causes.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
    }
  }
  for (const [field, value, isRequired] of [
    ['plural', names.plural, true],
    ['singular', names.singular ?? '', false],
    ['kind', names.kind.toLowerCase(), true],
    ['listKind', (names.listKind ?? '').toLowerCase(), true],
  ] as const) {
    const at = `spec.names.${field}`;
    if (value === '') {
      if (isRequired) causes.push(required(at));
      continue;
    }
    for (const problem of label1035Problems(value)) {
      causes.push(
        invalidValue(
          at,
          names[field] ?? '',
          field === 'kind' || field === 'listKind'
            ? `may have mixed case, but should otherwise match: ${problem}`
            : problem,
        ),
      );
    }
  }
  if (names.kind !== '' && names.kind === names.listKind) {
    causes.push(invalidValue('spec.names.listKind', names.listKind, 'kind and listKind may not be the same'));
  }
  return causes;
}

/** Schemas that are the same in all versions are complained of in one place, as if they stood there. */
function schemaProblems(spec: Definition['spec']): readonly Problem[] {
  const versions = versionsOf(spec);
  const schemas = versions.map(({ schema }) => schema?.openAPIV3Schema);
  const missing = schemas.flatMap((schema, index) =>
    schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
  );
  if (missing.length > 0) return missing;
  const [first] = schemas;
  const hasStatus = (version: Definition['spec']['versions'][number]) => version.subresources?.status !== undefined;
  if (first !== undefined && schemas.every((schema) => equalJson(schema, first))) {
    return structuralProblems(first as JSONSchemaProps, 'spec.validation.openAPIV3Schema', {
      hasStatus: versions.some(hasStatus),
    });
  }
  return versions.flatMap((version, index) =>
    structuralProblems(
      version.schema?.openAPIV3Schema as JSONSchemaProps,
      `spec.versions[${index}].schema.openAPIV3Schema`,
      {
        hasStatus: hasStatus(version),
      },
    ),
  );
}

/** Of formats that no value is checked by; those of the old definition were warned of when it was written. */
function formatWarnings(object: ApiObject, old?: ApiObject): readonly string[] {
  const warnings = (each: ApiObject) =>
    versionsOf(asDefinition(each).spec).flatMap(({ schema }) => structuralWarnings(schema?.openAPIV3Schema ?? {}));
  const before = new Set(old && warnings(old));
  return [...new Set(warnings(object))].filter((warning) => !before.has(warning));
}

function versionProblems(spec: Definition['spec']): readonly Problem[] {
  const versions = versionsOf(spec);
  const causes: Problem[] = [];
  const names = new Set<string>();
  versions.forEach(({ name }, index) => {
    const at = `spec.versions[${index}].name`;
    for (const problem of label1035Problems(name)) causes.push(invalidValue(at, name, problem));
    if (names.has(name)) causes.push(duplicateValue(at, name));
    names.add(name);
  });
  if (versions.length === 0 || versions.filter(({ storage }) => storage).length !== 1) {
    causes.push(
      invalidValue(
        'spec.versions',
        fieldsInOrder(spec.versions),
        'must have exactly one version marked as storage version',
      ),
    );
  }
  return causes;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

/** Columns and selectable fields; like schemas, they are complained of in one place when all versions agree. */
function extraProblems(spec: Definition['spec']): readonly Problem[] {
  const versions = versionsOf(spec);
  const agree = (name: 'additionalPrinterColumns' | 'selectableFields') =>
    versions.every((version) => equalJson(version[name], versions[0]?.[name]));
  return versions.flatMap((version, index) => {
    const place = (name: 'additionalPrinterColumns' | 'selectableFields') =>
      agree(name) ? (index === 0 ? `spec.${name}` : undefined) : `spec.versions[${index}].${name}`;
    const causes: Problem[] = [];
    const columns = place('additionalPrinterColumns');
    (version.additionalPrinterColumns ?? []).forEach(({ type }, at) => {
      if (columns === undefined || columnTypes.includes(type)) return;
      causes.push(invalidValue(`${columns}[${at}].type`, type, `must be one of ${columnTypes.join(',')}`));
    });
    const fields = place('selectableFields');
    (version.selectableFields ?? []).forEach(({ jsonPath }, at) => {
      if (fields === undefined || isField(version.schema?.openAPIV3Schema, jsonPath)) return;
      causes.push(
        invalidValue(`${fields}[${at}].jsonPath`, jsonPath, 'is an invalid path: does not refer to a valid field'),
      );
    });
    return causes;
  });
}

function isField(schema: JSONSchemaProps | undefined, path: string): boolean {
  let at = schema;
  for (const name of path.split('.').slice(1)) at = at?.properties?.[name];
  return at !== undefined;
}

/** To the real server the webhook's parts lie in the conversion itself, as they once did. */
function conversionProblems({ conversion }: Definition['spec']): readonly Problem[] {
  if (conversion === undefined) return [];
  const { strategy, webhook } = conversion;
  const [client, reviews] = ['spec.conversion.webhookClientConfig', 'spec.conversion.conversionReviewVersions'];
  const { clientConfig, conversionReviewVersions = [] } = webhook ?? {};
  if (strategy === 'Webhook') {
    return [
      ...(clientConfig == null
        ? [required(client, 'required when strategy is set to Webhook')]
        : clientConfigProblems(clientConfig, client)),
      ...reviewVersionProblems(conversionReviewVersions, reviews, ''),
    ];
  }
  const misplaced = 'should not be set when strategy is not set to Webhook';
  return [
    ...(strategy === 'None' ? [] : [unsupportedValue('spec.conversion.strategy', strategy, ['None', 'Webhook'])]),
    ...(clientConfig == null ? [] : [forbiddenField(client, misplaced)]),
    ...(conversionReviewVersions.length === 0 ? [] : [forbiddenField(reviews, misplaced)]),
  ];
}

function problems(object: ApiObject): readonly Problem[] {
  const { metadata, spec } = asDefinition(object);
  const name = `${spec.names.plural}.${spec.group}`;
  const scopes = ['Cluster', 'Namespaced'];
  return [
    ...(metadata.name === name
      ? []
      : [invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...(/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(spec.group) && !metadata.annotations?.['api-approved.kubernetes.io']
      ? [
          required(
            'metadata.annotations[api-approved.kubernetes.io]',
            'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
          ),
        ]
      : []),
    ...nameProblems(spec),
    ...(spec.scope === undefined || (spec.scope as string) === ''
      ? [required('spec.scope')]
      : scopes.includes(spec.scope)
        ? []
        : [unsupportedValue('spec.scope', spec.scope, scopes)]),
    ...versionProblems(spec),
    ...schemaProblems(spec),
    ...extraProblems(spec),
    ...(asDefinition(object).status?.storedVersions?.length
      ? []
      : [invalidValue('status.storedVersions', null, 'must have at least one stored version')]),
    ...conversionProblems(spec),
    ...(spec.names.shortNames ?? []).flatMap((short, index) =>
      labelProblems(short).map((problem) => invalidValue(`spec.names.shortNames[${index}]`, short, problem)),
    ),
  ];
}

function updateProblems(object: ApiObject, old: ApiObject): readonly Problem[] {
  const [before, after] = [asDefinition(old), asDefinition(object)];
  const fixed = (field: string, was: unknown, is: unknown) =>
    was === is ? [] : [invalidValue(field, is, 'field is immutable')];
  const established = isConditionTrue(before, 'Established');
  const missing = (before.status?.storedVersions ?? []).filter(
    (version) => !versionsOf(after.spec).some(({ name }) => name === version),
  );
  return [
    ...fixed('spec.group', before.spec.group, after.spec.group),
    ...fixed('spec.names.plural', before.spec.names.plural, after.spec.names.plural),
    ...(established ? fixed('spec.scope', before.spec.scope, after.spec.scope) : []),
    ...(established ? fixed('spec.names.kind', before.spec.names.kind, after.spec.names.kind) : []),
    ...missing.map((version) =>
      invalidValue(
        `status.storedVersions[${(before.status?.storedVersions ?? []).indexOf(version)}]`,
        version,
        `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
      ),
    ),
  ];
}

/** Everything that was ever stored in a version must remain readable. */
function withStoredVersion(object: ApiObject): ApiObject {
  const definition = asDefinition(object);
  const current = storageVersion(definition)?.name;
  const stored = definition.status?.storedVersions ?? [];
  if (current === undefined || stored.includes(current)) return object;
  return put(object, ['status', 'storedVersions'], [...stored, current]);
}

export const customResourceDefinition: KindRules = {
  default: (object) => change(object, 'spec', defaults),
  generation: 'content',
  unconditionalUpdate: false,
  prepareForCreate: (object) =>
    withStoredVersion({
      ...object,
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: [] },
    }),
  prepareForUpdate: withStoredVersion,
  validate: problems,
  validateUpdate: updateProblems,
  warnings: formatWarnings,
  nameProblems: () => [],
  markDeleted(object, now) {
    if (object.metadata.deletionTimestamp) return undefined;
    const { metadata } = object;
    const marked = withMetadata(object, {
      deletionTimestamp: now,
      finalizers: [...(metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer), cleanupFinalizer],
    });
    return withCondition(marked, now, {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    });
  },
  table: plainTable,
};
