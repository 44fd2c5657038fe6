/** Schemas as the generator needs them: all documents' together, and each as a type. */
import { isDeepStrictEqual } from 'node:util';
import { boolean, number, string, type Type, unknown } from './model.ts';
import type { Documents, Schema } from './openapi.ts';

/** Every schema once, sorted by name. Documents repeat the schemas they refer to. */
export function schemasOf(documents: Documents): ReadonlyMap<string, Schema> {
  const all = new Map<string, Schema>();
  for (const [path, { components }] of documents) {
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
      const known = all.get(name) ?? schema;
      if (!isDeepStrictEqual(withoutKinds(known), withoutKinds(schema))) {
        throw new Error(`${path}: ${name} is not the same as in another document`);
      }
      all.set(name, known);
    }
  }
  return new Map([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** DeleteOptions and WatchEvent are listed as kinds of each document's own group. */
function withoutKinds({ 'x-kubernetes-group-version-kind': _, ...rest }: Schema): Schema {
  return rest;
}

/** Lists are one generic type, written by hand. */
export function isList({ properties = {} }: Schema): boolean {
  return properties.items !== undefined && referenceOf(properties.metadata ?? {})?.endsWith('.ListMeta') === true;
}

/** The schema a property refers to. A reference with a description or a default is wrapped in `allOf`. */
export function referenceOf({ $ref, allOf }: Schema): string | undefined {
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return reference?.replace(/^#\/components\/schemas\//, '');
}

/** The type of a schema that has no properties of its own; `where` is for the message when there is none. */
export function typeOf(schema: Schema, where: string, reference: (schema: string) => Type): Type {
  const target = referenceOf(schema);
  if (target !== undefined) return reference(target);
  const { type, format, items, additionalProperties, properties } = schema;
  if (format === 'int-or-string') return { type: 'union', members: [number, string] };
  if (schema.enum !== undefined) return { type: 'literals', values: schema.enum };
  switch (type) {
    case 'string':
      return string;
    case 'boolean':
      return boolean;
    case 'integer':
    case 'number':
      return number;
    case 'array':
      if (items !== undefined) return { type: 'array', items: typeOf(items, where, reference) };
      break;
    case 'object':
      if (properties !== undefined) break;
      return {
        type: 'map',
        values: additionalProperties ? typeOf(additionalProperties, where, reference) : unknown,
      };
  }
  throw new Error(`${where}: no rule for the schema ${JSON.stringify({ ...schema, description: undefined })}`);
}
