/**
 * Type schemas from OpenAPI v3 schemas: what the server's own conversion to merge types reads out of them.
 *
 * `x-kubernetes-list-type`, `-list-map-keys` and `-map-type` decide; for lists without them, the patch strategy does.
 * A document is compiled type by type on first use, and kept for as long as the document is.
 */
import {
  deducedSchema,
  type Field,
  type ListType,
  type MapType,
  type TypeSchema,
  untypedAtomic,
} from './type-schema.ts';

/** The part of an OpenAPI schema that matters here. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly required?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
}

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

const compiled = new WeakMap<OpenApiDocument, Map<string, TypeSchema>>();

/** `name` as in the document: `io.k8s.api.apps.v1.Deployment`. */
export function typeSchemaFromOpenApi(document: OpenApiDocument, name: string): TypeSchema {
  let types = compiled.get(document);
  if (types === undefined) {
    types = new Map();
    compiled.set(document, types);
  }
  return namedType(name, document, types);
}

function namedType(name: string, document: OpenApiDocument, types: Map<string, TypeSchema>): TypeSchema {
  const known = types.get(name);
  if (known !== undefined) return known;
  const schema = document.components?.schemas?.[name];
  if (schema === undefined) throw new RangeError(`the OpenAPI document has no schema ${name}`);
  const type: TypeSchema = {};
  types.set(name, type); // before its parts, which may refer to it
  return Object.assign(type, hardCoded[name] ?? compile(schema, false, (other) => namedType(other, document, types)));
}

const untypedScalar: TypeSchema = { scalar: 'untyped' };

const hardCoded: Readonly<Record<string, TypeSchema>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': untypedScalar,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': untypedAtomic,
};

/** `preserve`: an enclosing schema lets unknown fields through, which holds for all that is written inside of it. */
export function compile(schema: OpenApiSchema, preserve: boolean, resolve: (name: string) => TypeSchema): TypeSchema {
  const unknown = preserve || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: mapType(schema, unknown, resolve) };
    case 'array':
      return { list: listType(schema, unknown, resolve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: (schema.format ?? '') === '' || schema.format === 'byte' ? 'string' : 'untyped' };
    default: // no type is any type
      return { scalar: 'untyped', list: listType(schema, unknown, resolve), map: mapType(schema, unknown, resolve) };
  }
}

function mapType(schema: OpenApiSchema, preserve: boolean, resolve: (name: string) => TypeSchema): MapType {
  const properties = Object.entries(schema.properties ?? {});
  const fields = new Map<string, Field>();
  for (const [name, property] of properties) {
    fields.set(name, { type: memberType(property, preserve, resolve), default: property.default });
  }
  const { additionalProperties: additional } = schema;
  return {
    relationship: schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular',
    fields,
    additional:
      typeof additional === 'object'
        ? memberType(additional, preserve, resolve)
        : (additional ?? (preserve || properties.length === 0))
          ? deducedSchema
          : undefined,
  };
}

function listType(schema: OpenApiSchema, preserve: boolean, resolve: (name: string) => TypeSchema): ListType {
  const items = schema.items === undefined ? untypedAtomic : memberType(schema.items, preserve, resolve);
  return { ...listRelationship(schema), items };
}

function listRelationship(schema: OpenApiSchema): Pick<ListType, 'relationship' | 'keys'> {
  switch (schema['x-kubernetes-list-type']) {
    case 'set':
      return { relationship: 'set', keys: [] };
    case 'map':
      return { relationship: 'map', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
    case 'atomic':
      return { relationship: 'atomic', keys: [] };
  }
  const key = schema['x-kubernetes-patch-merge-key'];
  if (!schema['x-kubernetes-patch-strategy']?.split(',').includes('merge')) return { relationship: 'atomic', keys: [] };
  return key === undefined ? { relationship: 'set', keys: [] } : { relationship: 'map', keys: [key] };
}

/** A reference, possibly with a map type of its own, or a schema in place. */
function memberType(schema: OpenApiSchema, preserve: boolean, resolve: (name: string) => TypeSchema): TypeSchema {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]?.$ref : undefined);
  if (reference === undefined) return compile(schema, preserve, resolve);
  const type = resolve(reference.slice(reference.lastIndexOf('/') + 1));
  const relationship = schema['x-kubernetes-map-type'];
  if (relationship === undefined) return type;
  return withRelationship(type, relationship === 'atomic' ? 'atomic' : 'granular');
}

/** Looks into `type` only when asked, since it may still be on its way. */
function withRelationship(type: TypeSchema, relationship: MapType['relationship']): TypeSchema {
  let map: MapType | undefined;
  return {
    get map() {
      if (type.map !== undefined) map ??= { ...type.map, relationship };
      return map;
    },
    get list() {
      return type.list;
    },
    get scalar() {
      return type.scalar;
    },
  };
}
