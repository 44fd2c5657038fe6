/**
 * OpenAPI version 2: one document for all kinds, which kubectl asks for when version 3 does not know a kind, such as a
 * List.
 *
 * The built-in part is a real server's (data/openapi-v2.json.gz). Custom kinds are added as a real server adds them: with
 * the part of their schema that version 2, and kubectl's reading of it, can hold.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { dataFile } from '../data-file.ts';
import { isObject, type JsonObject, without } from '../object.ts';
import type { Resource } from '../resource/resource.ts';
import { pathsOf, schemaName, schemasOf } from './custom-document.ts';

/** What is said of an object inside of another one. */
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const embedded: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
  metadata: {
    description: `Standard object's metadata. More info: ${conventions}#metadata`,
    $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  },
};

/** The document with these custom resources in it. */
export function openApiV2(custom: readonly Resource[]): JsonObject {
  const bytes = gunzipSync(readFileSync(dataFile('data/openapi-v2.json.gz')));
  const document = JSON.parse(bytes.toString()) as { readonly paths: JsonObject; readonly definitions: JsonObject };
  if (custom.length === 0) return document;
  const paths: JsonObject[] = custom.map((resource) => pathsOf(resource, document.paths));
  return {
    ...document,
    paths: inOrder(Object.assign({}, document.paths, ...paths.map(readable))),
    definitions: inOrder(Object.assign({}, document.definitions, ...custom.map(definitionsOf))),
  };
}

const inOrder = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

function definitionsOf(resource: Resource): JsonObject {
  const all = readable(schemasOf(resource)) as JsonObject;
  const name = schemaName(resource);
  const own = all[name] as JsonObject;
  const gvk = own['x-kubernetes-group-version-kind'];
  // With any property more, kubectl would take all others for unknown.
  const isOpen = own['x-kubernetes-preserve-unknown-fields'] === true;
  const closed = () => {
    const { apiVersion, kind, metadata, ...rest } = own.properties as JsonObject;
    const schema = reduced({ ...own, properties: rest });
    return { ...schema, properties: inOrder({ ...(schema.properties as JsonObject), apiVersion, kind, metadata }) };
  };
  return { ...all, [name]: isOpen ? { type: 'object', 'x-kubernetes-group-version-kind': gvk } : closed() };
}

/** References as version 2 writes them, and media types that custom resources have. */
function readable(value: unknown): unknown {
  if (typeof value === 'string') return value.replace('#/components/schemas/', '#/definitions/');
  if (Array.isArray(value)) {
    if (value.length === 1 && value[0] === '*/*') return ['application/json', 'application/yaml'];
    return value.map(readable);
  }
  if (!isObject(value)) return value;
  const { allOf } = value;
  if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0]) && '$ref' in allOf[0]) {
    return readable({ ...without(value, 'allOf'), ...allOf[0] });
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, readable(inner)]));
}

/** A structural schema without what version 2 does not know, or kubectl does not understand in it. */
function reduced(schema: JsonObject): JsonObject {
  const result: Record<string, unknown> = without(schema, 'allOf', 'oneOf', 'anyOf', 'not', 'nullable', 'default');
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.nullable === true) delete result.type;
  if (schema.nullable === true || isOpen) {
    delete result.items;
    delete result.properties;
  }
  if (result.type === 'array' && result.items === undefined) delete result.type;
  if (result.type === 'object' && isOpen) delete result.type;
  const { properties, items, additionalProperties, required } = result;
  if (isObject(properties)) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [name, isObject(inner) ? reduced(inner) : inner]),
    );
    const needed = Array.isArray(required)
      ? required.filter((name: string) => !isObject(properties[name]) || properties[name].nullable !== true)
      : [];
    if (needed.length > 0) result.required = needed;
    else delete result.required;
  }
  if (isObject(items)) result.items = reduced(items);
  if (isObject(additionalProperties)) {
    result.additionalProperties = reduced(additionalProperties);
    if (additionalProperties.nullable === true) delete result.required;
  }
  if (schema['x-kubernetes-embedded-resource'] !== true || isOpen) return result;
  const needed = (result.required ?? []) as readonly string[];
  return {
    ...result,
    required: [...needed, ...['kind', 'apiVersion'].filter((name) => !needed.includes(name))],
    properties: inOrder({ ...(result.properties as JsonObject | undefined), ...embedded }),
  };
}
