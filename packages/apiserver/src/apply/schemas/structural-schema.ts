/**
 * Type schemas of custom resources: the structural schema of a CRD's version, with what the server adds to it
 * (apiVersion, kind and metadata, at the root and in embedded resources).
 */
import { compile, type OpenApiSchema } from './open-api-schema.ts';
import { deducedSchema, type Field, type TypeSchema } from './type-schema.ts';

/** Without a schema all is deduced: members of maps have owners of their own, lists are atomic. */
export function typeSchemaFromStructural(schema: OpenApiSchema | undefined): TypeSchema {
  if (schema === undefined) return { map: deducedSchema.map };
  return compile(asResource(withEmbedded(schema)), false, resolveMeta);
}

const metaName = 'ObjectMeta';

function resolveMeta(name: string): TypeSchema {
  if (name !== metaName) throw new RangeError(`a structural schema has no references, but one to ${name}`);
  return objectMeta;
}

function asResource(schema: OpenApiSchema): OpenApiSchema {
  const { properties = {}, ...rest } = schema;
  return {
    ...rest,
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: `#/${metaName}` },
    },
  };
}

function withEmbedded(schema: OpenApiSchema): OpenApiSchema {
  const { properties, items, additionalProperties, ...rest } = schema;
  const inside: OpenApiSchema = {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, withEmbedded(child)])),
    }),
    ...(items && { items: withEmbedded(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? withEmbedded(additionalProperties) : additionalProperties,
    }),
  };
  return schema['x-kubernetes-embedded-resource'] === true ? asResource(inside) : inside;
}

function struct(fields: Readonly<Record<string, TypeSchema>>, relationship: 'granular' | 'atomic' = 'granular') {
  const entries = Object.entries(fields).map(([name, type]): [string, Field] => [name, { type, default: undefined }]);
  return { map: { relationship, fields: new Map(entries), additional: undefined } } satisfies TypeSchema;
}

const text: TypeSchema = { scalar: 'string' };
const number: TypeSchema = { scalar: 'numeric' };
const time: TypeSchema = { scalar: 'untyped' };
const texts: TypeSchema = { map: { relationship: 'granular', fields: new Map(), additional: text } };

/** metadata, as the OpenAPI documents of all versions have it. */
const objectMeta: TypeSchema = struct({
  annotations: texts,
  creationTimestamp: time,
  deletionGracePeriodSeconds: number,
  deletionTimestamp: time,
  finalizers: { list: { relationship: 'set', keys: [], items: text } },
  generateName: text,
  generation: number,
  labels: texts,
  managedFields: {
    list: {
      relationship: 'atomic',
      keys: [],
      items: struct({
        apiVersion: text,
        fieldsType: text,
        fieldsV1: { map: deducedSchema.map },
        manager: text,
        operation: text,
        subresource: text,
        time,
      }),
    },
  },
  name: text,
  namespace: text,
  ownerReferences: {
    list: {
      relationship: 'map',
      keys: ['uid'],
      items: struct(
        {
          apiVersion: text,
          blockOwnerDeletion: { scalar: 'boolean' },
          controller: { scalar: 'boolean' },
          kind: text,
          name: text,
          uid: text,
        },
        'atomic',
      ),
    },
  },
  resourceVersion: text,
  selfLink: text,
  uid: text,
});
