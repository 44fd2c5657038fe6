/**
 * The built-in resources: which there are (as the real server's discovery lists them), and the rules that all of them
 * share. What a kind does differently is in `kinds/`.
 */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { equalJson } from '@keelson/core';
import { objectMetaProblems, objectMetaUpdateProblems, orPrefix, subdomainProblems } from '@keelson/schema/validation';
import type { ObjectType } from '../../apply/index.ts';
import { builtInResetFields, typeSchemaFromOpenApi } from '../../apply/index.ts';
import type { VersionedType } from '../../apply/schemas/object-type.ts';
import { dataFile } from '../../data-file.ts';
import { decodeGo, zero } from '../../decode/go-json.ts';
import { type GoType, goType } from '../../decode/go-types.ts';
import { agedTable } from '../../encode/table-columns.ts';
import { type ApiObject, compact, type JsonObject, put, without } from '../../object.ts';
import { builtInSchemas, schemaNameOf } from '../../openapi/documents.ts';
import { type PatchSchema, patchSchemaFromOpenApi } from '../../patch/index.ts';
import {
  apiVersionOf,
  type Resource,
  type ScalePaths,
  type Strategy,
  type UpdateRules,
} from '../../resource/resource.ts';
import { withFirstGeneration, withNextGeneration } from '../../write/generation.ts';
import { restored } from '../../write/restore-reset-fields.ts';
import { kindRules } from './kinds/index.ts';
import type { KindRules } from './kinds/kind-rules.ts';
import { tables } from './tables/index.ts';

/** The parts of an aggregated discovery document that are used. */
interface DiscoveryList {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly { readonly version: string; readonly resources: readonly DiscoveredResource[] }[];
  }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: { readonly group: string; readonly version: string; readonly kind: string };
    readonly verbs: readonly string[];
  }[];
}

/** In the order in which discovery lists them, which is the order of preference of groups and versions. */
export function builtInResources(): readonly Resource[] {
  return ['api', 'apis'].flatMap((file) => {
    const bytes = gunzipSync(readFileSync(dataFile(`data/discovery-${file}.json.gz`)));
    const list = JSON.parse(bytes.toString()) as DiscoveryList;
    return list.items.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map((resource) => builtIn(metadata.name ?? '', version, resource)),
      ),
    );
  });
}

function builtIn(group: string, version: string, found: DiscoveredResource): Resource {
  const { resource, responseKind, scope, singularResource, verbs, shortNames = [], categories = [] } = found;
  const { kind } = responseKind;
  const subresources = new Map(
    (found.subresources ?? []).map(({ subresource, responseKind: own, verbs: allowed }) => [
      subresource,
      {
        // Discovery leaves group and version out where they are the resource's own.
        kind: own.version === '' ? { group, version, kind: own.kind } : own,
        verbs: allowed,
      },
    ]),
  );
  const described = {
    group,
    version,
    resource,
    singular: singularResource,
    kind,
    listKind: `${kind}List`,
    namespaced: scope === 'Namespaced',
    shortNames,
    categories,
    verbs,
    subresources,
  };
  const name = group === '' ? resource : `${resource}.${group}`;
  const rules: KindRules = {
    table: tables[name] ?? agedTable,
    ...(kindRules[`${name}@${version}`] ?? kindRules[name]),
  };
  return {
    ...described,
    // Both kinds of Event are one storage.
    collection: resource === 'events' ? resource : name,
    strategy: builtInStrategy(described, rules),
  };
}

type Described = Omit<Resource, 'strategy' | 'collection'>;

/** Kinds with a scale all keep it at the same place. */
const workloadScale: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

/** In these, finalizers need no domain: theirs is the validation of the API machinery, and not that of the core kinds. */
const lenientGroups: readonly string[] = [
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'admissionregistration.k8s.io',
];

function builtInStrategy(resource: Described, rules: KindRules): Strategy {
  const { group, kind, namespaced, subresources } = resource;
  const apiVersion = apiVersionOf(resource);
  const schemaName = schemaNameOf(resource);
  const hasStatus = subresources.has('status');
  let struct: Extract<GoType, { type: 'struct' }> | undefined;
  const type = () => {
    if (struct === undefined) {
      const found = goType(schemaName);
      if (found?.type !== 'struct') throw new Error(`${schemaName} is no Go struct`);
      struct = found;
    }
    return struct;
  };
  const emptyStatus = (): unknown => {
    const field = type().fields.get('status');
    return field === undefined || field.pointer || field.omitZero ? undefined : zero(field.value);
  };
  const withStatus = (object: ApiObject, status: unknown): ApiObject => put(object, ['status'], status);
  const nameProblems = rules.nameProblems ?? orPrefix(subdomainProblems);
  const qualifiedFinalizers = !lenientGroups.includes(group);

  const isChanged = (object: ApiObject, old: ApiObject): boolean => {
    const content = (each: ApiObject): JsonObject => without(each, 'metadata', 'status');
    return (
      !equalJson(content(object), content(old)) ||
      (rules.generation === 'content and annotations' &&
        !equalJson(object.metadata.annotations, old.metadata.annotations)) ||
      (rules.generation === 'content and labels' && !equalJson(object.metadata.labels, old.metadata.labels))
    );
  };
  const counted = (object: ApiObject, old: ApiObject): ApiObject =>
    rules.generation !== undefined && isChanged(object, old) ? withNextGeneration(object, old) : object;

  const validate = (object: ApiObject) => [
    ...objectMetaProblems(object.metadata, { namespaced, nameProblems, qualifiedFinalizers }),
    ...(rules.validate?.(object) ?? []),
  ];

  const main: UpdateRules = {
    prepare(object, old, context) {
      const kept = restored(object, old, main.reset);
      return counted(rules.prepareForUpdate?.(kept, old, context) ?? kept, old);
    },
    // Twice: the server checks the metadata of every update, and every built-in kind does it again.
    validate(object, old, warn) {
      const problems = [
        ...objectMetaUpdateProblems(object.metadata, old.metadata),
        ...objectMetaUpdateProblems(object.metadata, old.metadata),
        ...objectMetaProblems(object.metadata, { namespaced, nameProblems, qualifiedFinalizers }),
        ...((rules.validateChanged ?? rules.validate)?.(object) ?? []),
        ...(rules.validateUpdate?.(object, old) ?? []),
      ];
      if (problems.length === 0) rules.warnings?.(object, old).forEach(warn);
      return problems;
    },
    reset: builtInResetFields(group, kind, ''),
  };
  const status: UpdateRules = {
    prepare(object, old, context) {
      const kept = restored({ ...old, metadata: object.metadata, status: object.status }, old, status.reset);
      return compact(rules.prepareForStatus?.(kept, old, context) ?? kept);
    },
    validate: (object, old) => [
      ...objectMetaUpdateProblems(object.metadata, old.metadata),
      ...objectMetaUpdateProblems(object.metadata, old.metadata),
      ...objectMetaProblems(object.metadata, { namespaced, nameProblems, qualifiedFinalizers }),
      ...(rules.validateStatus?.(object, old) ?? []),
    ],
    reset: builtInResetFields(group, kind, 'status'),
  };
  /** Removes a namespace's own finalizers, which no other endpoint may touch. */
  const finalize: UpdateRules = {
    prepare: (object, old) => withStatus(object, old.status),
    validate: (object, old) => [
      ...objectMetaUpdateProblems(object.metadata, old.metadata),
      ...(rules.validate?.(object) ?? []),
    ],
    reset: builtInResetFields(group, kind, 'finalize'),
  };
  const endpoints = new Map<string, UpdateRules>([['', main]]);
  if (hasStatus) endpoints.set('status', status);
  if (subresources.has('finalize')) endpoints.set('finalize', finalize);

  const types = new Map<string, ObjectType>();
  /** For the entries in managedFields of those who wrote the same objects under their other name. */
  const aliasType = (wanted: string): VersionedType | undefined => {
    const { alias } = rules;
    if (alias === undefined || wanted !== apiVersionOf(alias)) return undefined;
    const other = schemaNameOf({ ...alias, kind });
    const schema = typeSchemaFromOpenApi(builtInSchemas(), other);
    const toStorage = rules.toStorage ?? ((object: ApiObject) => object);
    const fromStorage = rules.fromStorage ?? ((object: ApiObject) => object);
    return {
      type: { apiVersion: wanted, kind, schema, empty: { apiVersion: wanted, kind } },
      convert: (object) => alias.fromStorage(toStorage(object as ApiObject)),
      convertBack: (object) => fromStorage(toStorage(object as ApiObject)),
    };
  };
  let patchSchema: PatchSchema | undefined;

  return {
    custom: false,
    internalGroup: rules.internalGroup ?? group,
    decode(body) {
      const { value, unknown } = decodeGo(body, type());
      const { metadata, ...rest } = value;
      const own = { apiVersion, kind, metadata: (metadata ?? {}) as ApiObject['metadata'] };
      return { object: { ...own, ...rest, apiVersion, kind }, unknown };
    },
    default: rules.default ?? ((object) => object),
    prepareForCreate(object, context) {
      let prepared = hasStatus && !rules.keepsStatus ? withStatus(object, emptyStatus()) : object;
      if (rules.generation !== undefined) prepared = withFirstGeneration(prepared);
      return rules.prepareForCreate?.(prepared, context) ?? prepared;
    },
    validate,
    warnings: (object) => rules.warnings?.(object) ?? [],
    updates: (endpoint) => endpoints.get(endpoint),
    nameProblems,
    createOnUpdate: rules.createOnUpdate ?? false,
    unconditionalUpdate: rules.unconditionalUpdate ?? true,
    returnsDeleted: rules.returnsDeleted ?? false,
    grace: (object, requested) => rules.grace?.(object, requested),
    markDeleted: rules.markDeleted,
    orphansDependents: rules.orphansDependents ?? false,
    collectible: rules.collectible ?? true,
    isFinalized: rules.isFinalized ?? (() => true),
    fields: new Map(Object.entries(rules.fields ?? {})),
    unknownField: (label) =>
      rules.unknownField?.(label) ??
      (rules.shortUnknownField
        ? `field label not supported: ${label}`
        : `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`),
    table: () => rules.table ?? agedTable,
    objectType(endpoint) {
      let found = types.get(endpoint);
      if (found === undefined) {
        found = {
          apiVersion,
          kind,
          schema: typeSchemaFromOpenApi(builtInSchemas(), schemaName),
          empty: { ...decodeGo({}, type()).value, apiVersion, kind },
          reset: endpoints.get(endpoint)?.reset,
          inVersion: (wanted) => aliasType(wanted),
        };
        types.set(endpoint, found);
      }
      return found;
    },
    patchSchema() {
      patchSchema ??= patchSchemaFromOpenApi(builtInSchemas(), schemaName);
      return patchSchema;
    },
    openApiSchema: () => undefined,
    readVersion: apiVersion,
    toStorage: rules.toStorage ?? ((object) => object),
    fromStorage: rules.fromStorage ?? ((object) => object),
    scale: subresources.has('scale') ? workloadScale : undefined,
  };
}
