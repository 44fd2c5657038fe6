/**
 * The OpenAPI document of custom resources, with which kubectl explains them and checks that the server validates.
 *
 * Its operations are those of Deployments under other names: the same verbs, parameters and endpoints, which the
 * built-in document describes already.
 */

import { isObject, type JsonObject, without } from '../object.ts';
import { apiVersionOf, type Resource } from '../resource/resource.ts';
import { builtInDocument } from './documents.ts';

const templatePath = '/apis/apps/v1';
const templateSchema = 'io.k8s.api.apps.v1.Deployment';
const metaPrefix = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
/** Encodings that custom resources do not have. */
const foreignTypes = /protobuf|cbor|strategic-merge/;

const typeDescription = {
  apiVersion: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  kind: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
};

/** `com.example.cache.v1.Memcached`: the group backwards, as in Go's packages. */
export const schemaName = ({ group, version, kind }: Resource): string =>
  [...group.split('.').reverse(), version, kind].join('.');

const reference = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

export function schemasOf(resource: Resource): JsonObject {
  const { group, version, kind, listKind, resource: plural } = resource;
  const name = schemaName(resource);
  const schema = resource.strategy.openApiSchema() ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const typeMeta = {
    apiVersion: { description: typeDescription.apiVersion, type: 'string' },
    kind: { description: typeDescription.kind, type: 'string' },
  };
  return {
    [name]: {
      ...schema,
      properties: {
        ...(schema.properties as JsonObject | undefined),
        ...typeMeta,
        metadata: {
          description: `Standard object's metadata. More info: ${conventions}#metadata`,
          allOf: [reference(`${metaPrefix}.ObjectMeta`)],
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind, version }],
    },
    [`${name.slice(0, name.lastIndexOf('.'))}.${listKind}`]: {
      description: `${listKind} is a list of ${kind}`,
      type: 'object',
      required: ['items'],
      properties: {
        ...typeMeta,
        items: { description: `List of ${plural}. More info: ${conventions}`, type: 'array', items: reference(name) },
        metadata: {
          description: `Standard list metadata. More info: ${conventions}#types-kinds`,
          allOf: [reference(`${metaPrefix}.ListMeta`)],
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: listKind, version }],
    },
  };
}

/** Rewrites everything in a part of the template that speaks of Deployments. */
function renamed(value: unknown, resource: Resource): unknown {
  const { group, version, kind, listKind, namespaced } = resource;
  const name = schemaName(resource);
  const walk = (at: unknown): unknown => {
    if (typeof at === 'string') {
      return at
        .replaceAll(`${templateSchema}List`, `${name.slice(0, name.lastIndexOf('.'))}.${listKind}`)
        .replaceAll(templateSchema, name)
        .replaceAll('AppsV1', operationPart(resource))
        .replaceAll('Deployment', kind)
        .replace(/^apps_v1$/, `${lowerFirst(operationPart(resource, false))}_${version}`)
        .replaceAll(/Namespaced(?=[A-Z])/g, namespaced ? 'Namespaced' : '');
    }
    if (Array.isArray(at)) {
      const items = at.filter((item) =>
        typeof item === 'string' ? !foreignTypes.test(item) : namespaced || !isNamespaceParameter(item),
      );
      return items.map(walk);
    }
    if (!isObject(at)) return at;
    const members = Object.entries(at).filter(([member]) => !foreignTypes.test(member));
    const result = Object.fromEntries(members.map(([member, inner]) => [member, walk(inner)]));
    const own = result['x-kubernetes-group-version-kind'];
    return isObject(own) && own.group === 'apps'
      ? { ...result, 'x-kubernetes-group-version-kind': { group, version, kind } }
      : result;
  };
  return walk(value);
}

const isNamespaceParameter = (at: unknown): boolean =>
  isObject(at) &&
  ((at.name === 'namespace' && at.in === 'path') || String(at.$ref).startsWith('#/parameters/namespace-'));

const upperFirst = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const lowerFirst = (text: string): string => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;

const operationPart = ({ group, version }: Resource, withVersion = true): string =>
  group.split('.').map(upperFirst).join('') + (withVersion ? upperFirst(version) : '');

/** The operations of a resource, out of those that a document of the same version has for Deployments. */
export function pathsOf(resource: Resource, template: JsonObject): JsonObject {
  const { resource: plural, namespaced, subresources } = resource;
  const base = `/apis/${apiVersionOf(resource)}`;
  const paths: Record<string, unknown> = {};
  const copy = (from: string, to: string) => {
    const found = template[`${templatePath}${from}`];
    if (found !== undefined) paths[`${base}${to}`] = renamed(found, resource);
  };
  const scoped = namespaced ? '/namespaces/{namespace}' : '';
  if (namespaced) copy('/deployments', `/${plural}`);
  copy('/namespaces/{namespace}/deployments', `${scoped}/${plural}`);
  copy('/namespaces/{namespace}/deployments/{name}', `${scoped}/${plural}/{name}`);
  for (const name of subresources.keys()) {
    copy(`/namespaces/{namespace}/deployments/{name}/${name}`, `${scoped}/${plural}/{name}/${name}`);
  }
  return paths;
}

/** The schemas that others refer to, and those that these refer to. */
function referred(schemas: JsonObject, all: JsonObject, from: unknown): JsonObject {
  const found: Record<string, unknown> = { ...schemas };
  const visit = (at: unknown): void => {
    if (Array.isArray(at)) for (const item of at) visit(item);
    if (!isObject(at)) return;
    const { $ref } = at;
    if (typeof $ref === 'string') {
      const name = $ref.slice($ref.lastIndexOf('/') + 1);
      if (!(name in found) && all[name] !== undefined) {
        found[name] = all[name];
        visit(all[name]);
      }
    }
    for (const inner of Object.values(at)) visit(inner);
  };
  visit(from);
  visit(schemas);
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document of all custom resources of one group and version. */
export function customDocument(resources: readonly Resource[]): JsonObject {
  const template = builtInDocument({ group: 'apps', version: 'v1' });
  const templatePaths = template.paths as JsonObject;
  const templateSchemas = ((template.components as JsonObject).schemas ?? {}) as JsonObject;
  const paths: JsonObject = Object.assign({}, ...resources.map((resource) => pathsOf(resource, templatePaths)));
  const own: JsonObject = Object.assign({}, ...resources.map(schemasOf));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
    paths,
    components: { schemas: referred(own, without(templateSchemas, templateSchema), paths) },
  };
}
