/**
 * What strategic merge needs to know of a type: `x-kubernetes-patch-strategy` and `-merge-key` of its fields.
 *
 * A document is read type by type, on first use, and what was read is kept for as long as the document is.
 */
import type { OpenApiDocument, OpenApiSchema } from '../apply/index.ts';

export interface PatchSchema {
  /** The type's name in messages. */
  readonly name: string;
  /** Only structs have fields that can be merged into; a map's members are replaced. */
  readonly kind: 'struct' | 'map' | 'other';
  readonly field: (name: string) => PatchField | undefined;
}

export interface PatchField {
  /** `''` where the type says nothing: maps are merged then, lists replaced. */
  readonly strategy: 'merge' | 'replace' | '';
  /** `''` for lists of scalars. */
  readonly mergeKey: string;
  /** Of the field, or of its items when it is a list. */
  readonly schema: PatchSchema;
}

const known = new WeakMap<OpenApiDocument, Map<string, PatchSchema>>();

/** `name` as in the OpenAPI v3 document: `io.k8s.api.apps.v1.Deployment`. */
export function patchSchemaFromOpenApi(document: OpenApiDocument, name: string): PatchSchema {
  let schemas = known.get(document);
  if (schemas === undefined) {
    schemas = new Map();
    known.set(document, schemas);
  }
  let schema = schemas.get(name);
  if (schema === undefined) {
    const found = document.components?.schemas?.[name];
    if (found === undefined) throw new RangeError(`the OpenAPI document has no schema ${name}`);
    schema = patchSchema(found, name.slice(name.lastIndexOf('.') + 1), document);
    schemas.set(name, schema);
  }
  return schema;
}

function patchSchema(schema: OpenApiSchema, name: string, document: OpenApiDocument): PatchSchema {
  const fields = new Map<string, PatchField>();
  return {
    name,
    kind: schema.properties ? 'struct' : typeof schema.additionalProperties === 'object' ? 'map' : 'other',
    field: (field) => {
      const property = schema.properties?.[field];
      if (property === undefined) return undefined;
      let found = fields.get(field);
      if (found === undefined) {
        found = patchField(property, document);
        fields.set(field, found);
      }
      return found;
    },
  };
}

function patchField(property: OpenApiSchema, document: OpenApiDocument): PatchField {
  const strategies = property['x-kubernetes-patch-strategy']?.split(',') ?? [];
  const strategy = strategies.find((one) => one === 'merge' || one === 'replace') ?? '';
  const schema = resolved(property.items ?? property, document);
  return { strategy, mergeKey: property['x-kubernetes-patch-merge-key'] ?? '', schema };
}

function resolved(schema: OpenApiSchema, document: OpenApiDocument): PatchSchema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return patchSchema(schema, schema.type ?? '', document);
  return patchSchemaFromOpenApi(document, reference.slice(reference.lastIndexOf('/') + 1));
}
