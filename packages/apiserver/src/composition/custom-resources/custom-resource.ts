/**
 * A version of a custom resource as a resource like any other: its rules come out of the schema in its definition.
 */

import { equalJson } from '@keelson/core';
import {
  compileStructural,
  invalidValue,
  objectMetaProblems,
  objectMetaUpdateProblems,
  orPrefix,
  type Problem,
  type StructuralSchema,
  subdomainProblems,
} from '@keelson/schema/validation';
import { customResetFields, type ObjectType, type OpenApiSchema, typeSchemaFromStructural } from '../../apply/index.ts';
import { decodeGo, GoJsonError } from '../../decode/go-json.ts';
import { goType } from '../../decode/go-types.ts';
import { compilePath } from '../../encode/json-path.ts';
import { type ApiObject, at, isObject, type JsonObject, withMetadata, without } from '../../object.ts';
import { Conversions, type Converter } from '../../resource/conversions.ts';
import type { Resource, ScalePaths, Strategy, Subresource, UpdateRules } from '../../resource/resource.ts';
import { apiVersionOf } from '../../resource/resource.ts';
import { withFirstGeneration, withNextGeneration } from '../../write/generation.ts';
import { restored } from '../../write/restore-reset-fields.ts';
import { type Definition, type DefinitionVersion, storageVersion } from './definition.ts';
import { printerTable } from './printer-columns.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const endpointVerbs = ['get', 'patch', 'update'];
const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** All versions of a definition that are served. */
export function customResources(definition: Definition, converter: Converter | undefined): readonly Resource[] {
  return definition.spec.versions
    .filter(({ served }) => served)
    .map((version) => customResource(definition, version, converter));
}

/** The version in which its objects are stored, served or not. */
export function storedResource(definition: Definition): Resource | undefined {
  const version = storageVersion(definition);
  return version && customResource(definition, version);
}

function customResource(definition: Definition, version: DefinitionVersion, converter?: Converter): Resource {
  const { group, scope } = definition.spec;
  // The names that were accepted, which a conflict may keep from being those that are wanted.
  const names = definition.status?.acceptedNames?.kind ? definition.status.acceptedNames : definition.spec.names;
  const { plural, singular = '', kind, listKind = `${kind}List`, shortNames = [], categories = [] } = names;
  const subresources = new Map<string, Subresource>();
  if (version.subresources?.status !== undefined) {
    subresources.set('status', { kind: { group, version: version.name, kind }, verbs: endpointVerbs });
  }
  if (version.subresources?.scale !== undefined) subresources.set('scale', { kind: scaleKind, verbs: endpointVerbs });
  const described = {
    group,
    version: version.name,
    resource: plural,
    singular,
    kind,
    listKind,
    namespaced: scope === 'Namespaced',
    shortNames,
    categories,
    verbs,
    subresources,
  };
  return {
    ...described,
    collection: `${plural}.${group}`,
    strategy: customStrategy(described, definition, version, converter),
  };
}

function scalePaths(version: DefinitionVersion): ScalePaths | undefined {
  const scale = version.subresources?.scale;
  if (scale === undefined) return undefined;
  const path = (text: string) => text.split('.').filter((part) => part !== '');
  return {
    specReplicas: path(scale.specReplicasPath),
    statusReplicas: path(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : path(scale.labelSelectorPath),
  };
}

/** The numbers of a scale must be numbers, or autoscalers could not read them. */
function scaleProblems(object: ApiObject, ...paths: readonly (readonly string[] | undefined)[]): readonly Problem[] {
  return paths.flatMap((path) => {
    if (path === undefined) return [];
    const value = at(object, ...path);
    const field = `.${path.join('.')}`;
    if (value === undefined) return [];
    if (typeof value !== 'number') {
      const type = typeof value === 'boolean' ? 'bool' : typeof value;
      return [
        invalidValue(field, 0, `${field} accessor error: ${String(value)} is of the type ${type}, expected int64`),
      ];
    }
    return value < 0 ? [invalidValue(field, value, 'should be a non-negative integer')] : [];
  });
}

const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Who adds a finalizer that others may use as well is told so. */
function finalizerWarnings({ metadata }: ApiObject, old?: ApiObject): readonly string[] {
  const known = [...standardFinalizers, ...(old?.metadata.finalizers ?? [])];
  const added = new Set((metadata.finalizers ?? []).filter((name) => !name.includes('/') && !known.includes(name)));
  return [...added].sort().map((name) => {
    const wanted = `a domain-qualified finalizer name${name.includes('.') ? ' including a path (/)' : ''}`;
    return `metadata.finalizers: ${JSON.stringify(name)}: prefer ${wanted} to avoid accidental conflicts with other finalizer writers`;
  });
}

function customStrategy(
  resource: Omit<Resource, 'strategy' | 'collection'>,
  definition: Definition,
  version: DefinitionVersion,
  converter: Converter | undefined,
): Strategy {
  const { kind, namespaced, subresources } = resource;
  const apiVersion = apiVersionOf(resource);
  const storedAs = apiVersionOf({ group: resource.group, version: storageVersion(definition)?.name ?? version.name });
  const hasStatus = subresources.has('status');
  const nameProblems = orPrefix(subdomainProblems);
  const scale = scalePaths(version);
  let compiled: StructuralSchema | undefined;
  const schema = (): StructuralSchema => {
    compiled ??= compileStructural(version.schema?.openAPIV3Schema ?? { type: 'object' });
    return compiled;
  };

  const kindProblems = (object: ApiObject): readonly Problem[] =>
    object.kind === kind ? [] : [invalidValue('kind', object.kind, `must be ${kind}`)];
  const common = (object: ApiObject): readonly Problem[] => [
    ...kindProblems(object),
    ...objectMetaProblems(object.metadata, { namespaced, nameProblems }),
  ];
  const content = (object: ApiObject): JsonObject =>
    hasStatus ? without(object, 'metadata', 'status') : without(object, 'metadata');

  const main: UpdateRules = {
    prepare(object, old) {
      const kept = restored(object, old, main.reset);
      return equalJson(content(kept), content(old)) ? kept : withNextGeneration(kept, old);
    },
    validate(object, old, warn) {
      finalizerWarnings(object, old).forEach(warn);
      return [
        ...common(object),
        ...objectMetaUpdateProblems(object.metadata, old.metadata),
        ...schema().validate(object, old, warn),
        ...scaleProblems(object, scale?.specReplicas, scale?.statusReplicas),
      ];
    },
    reset: customResetFields(hasStatus, ''),
  };
  const status: UpdateRules = {
    prepare(object, old) {
      const { managedFields, resourceVersion, uid } = object.metadata;
      const kept = withMetadata(old, { managedFields, resourceVersion, uid });
      return object.status === undefined ? without(kept, 'status') : { ...kept, status: object.status };
    },
    validate: (object, old, warn) => [
      ...common(object),
      ...objectMetaUpdateProblems(object.metadata, old.metadata),
      ...schema().validateStatus(object, old, warn),
      ...scaleProblems(object, scale?.statusReplicas),
    ],
    reset: customResetFields(hasStatus, 'status'),
  };

  const readVersion = `${apiVersion} ${definition.metadata.uid} ${definition.metadata.generation ?? 0}`;
  const typeSchema = memoized((each: DefinitionVersion) =>
    typeSchemaFromStructural((each.schema?.openAPIV3Schema ?? {}) as OpenApiSchema),
  );
  const storedSchema = memoized(() =>
    compileStructural(storageVersion(definition)?.schema?.openAPIV3Schema ?? { type: 'object' }),
  );

  if (converter === undefined) return rules((object, wanted) => ({ ...object, apiVersion: wanted }));
  const scoped = (): Strategy => {
    const conversions = new Conversions(converter);
    return {
      ...rules(conversions.convert, (object) => storedSchema(version).prune(object).value as ApiObject),
      ahead: (objects) => conversions.ahead(objects, apiVersion),
      forget: () => conversions.forget(),
    };
  };
  return { ...scoped(), forRequest: scoped };

  /** The rules with a way to other versions, and with what is stored looked through once more. */
  function rules(convert: Convert, pruned = (object: ApiObject): ApiObject => object): Strategy {
    const types = new Map<string, ObjectType>();
    const read = new WeakMap<ApiObject, ApiObject>();
    return {
      custom: true,
      internalGroup: resource.group,
      decode(body) {
        const { metadata, ...rest } = body;
        const meta = decodedMetadata(metadata);
        const { value, pruned, malformed } = schema().prune({ ...rest, metadata: meta.metadata });
        if (malformed !== undefined) throw new GoJsonError(malformed);
        const object = value as ApiObject;
        return {
          object: { ...object, apiVersion, kind: object.kind ?? kind },
          unknown: [...meta.unknown, ...pruned].sort(),
        };
      },
      default: (object) => schema().default(object) as ApiObject,
      prepareForCreate: (object) => withFirstGeneration(hasStatus ? without(object, 'status') : object),
      validate: (object) => [
        ...common(object),
        ...schema().validate(object),
        ...scaleProblems(object, scale?.specReplicas, scale?.statusReplicas),
      ],
      warnings: (object) => [
        ...(version.deprecated ? [version.deprecationWarning ?? `${apiVersion} ${kind} is deprecated`] : []),
        ...finalizerWarnings(object),
      ],
      updates: (endpoint) => (endpoint === '' ? main : endpoint === 'status' && hasStatus ? status : undefined),
      nameProblems,
      createOnUpdate: false,
      unconditionalUpdate: false,
      returnsDeleted: false,
      grace: () => undefined,
      markDeleted: undefined,
      orphansDependents: false,
      collectible: true,
      isFinalized: () => true,
      fields: new Map(
        (version.selectableFields ?? []).map(({ jsonPath }) => {
          const find = compilePath(jsonPath);
          return [jsonPath.replace(/^\./, ''), (object: ApiObject) => String(find(object)[0] ?? '')];
        }),
      ),
      unknownField: (label) => `field label not supported: ${label}`,
      table: () => printerTable(version.additionalPrinterColumns),
      objectType(endpoint) {
        let found = types.get(endpoint);
        if (found === undefined) {
          found = {
            apiVersion,
            kind,
            schema: typeSchema(version),
            empty: { apiVersion, kind },
            reset: customResetFields(hasStatus, endpoint),
            inVersion(wanted) {
              const other = versionCalled(definition, wanted);
              return (
                other && {
                  type: { apiVersion: wanted, kind, schema: typeSchema(other), empty: { apiVersion: wanted, kind } },
                  convert: (object) => convert(object as ApiObject, wanted),
                  convertBack: (object) => convert(object as ApiObject, apiVersion),
                }
              );
            },
          };
          types.set(endpoint, found);
        }
        return found;
      },
      patchSchema: () => undefined,
      openApiSchema: () => version.schema?.openAPIV3Schema as JsonObject | undefined,
      readVersion,
      toStorage: (object) => (object.apiVersion === storedAs ? object : pruned(convert(object, storedAs))),
      fromStorage(object) {
        let shown = read.get(object);
        if (shown === undefined) {
          const own =
            object.apiVersion === apiVersion
              ? object
              : (schema().prune(convert(object, apiVersion)).value as ApiObject);
          shown = schema().default(own) as ApiObject;
          read.set(object, shown);
        }
        return shown;
      },
      scale,
    };
  }
}

type Convert = (object: ApiObject, apiVersion: string) => ApiObject;

/** Remembers what was made of each value. */
function memoized<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    let found = known.get(key);
    if (found === undefined) {
      found = { value: make(key) };
      known.set(key, found);
    }
    return found.value;
  };
}

/** For the entries in managedFields of those who wrote in another version. */
const versionCalled = ({ spec }: Definition, apiVersion: string): DefinitionVersion | undefined =>
  spec.versions.find(({ name }) => apiVersionOf({ group: spec.group, version: name }) === apiVersion);

function decodedMetadata(metadata: unknown): {
  readonly metadata: ApiObject['metadata'];
  readonly unknown: readonly string[];
} {
  const type = goType('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  if (type === undefined) throw new Error('ObjectMeta is no Go struct');
  const { value, unknown } = decodeGo(isObject(metadata) ? metadata : {}, type);
  return { metadata: value, unknown: unknown.map((path) => `metadata.${path}`) };
}
