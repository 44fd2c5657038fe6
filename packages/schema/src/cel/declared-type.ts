/** The types of a schema's values in expressions, with the sizes that costs are estimated by. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isSchema, itemsOf } from '../tree/schema-node.ts';
import { escapeName } from './language/escape-name.ts';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  string,
  struct,
  type Type,
  timestamp,
} from './language/types.ts';

/** A schema as CEL sees it: its type, its fields, and how large its values may be. */
export interface DeclaredType {
  readonly type: Type;
  /** By the name that expressions use, where this is an object. */
  readonly fields: ReadonlyMap<string, DeclaredType>;
  /** Of a list's items, or a map's values. */
  readonly item: DeclaredType | undefined;
  /** The most items or characters there can be; 0 for what has no size. */
  readonly maxSize: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minBytes: number;
}

/** The largest request that the server takes. */
export const maxRequestBytes = 3 * 1024 * 1024;

const noFields: ReadonlyMap<string, DeclaredType> = new Map();

function scalar(type: Type, minBytes: number, maxSize = 0): DeclaredType {
  return { type, fields: noFields, item: undefined, maxSize, minBytes };
}

/** At the root of a resource, rules see these whatever the schema says. */
const resourceFields: Readonly<Record<string, JSONSchemaProps>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object', properties: { name: { type: 'string' }, generateName: { type: 'string' } } },
};

/**
 * Undefined for values that expressions cannot see: those without a type, and what holds them. `name` tells types of
 * objects apart.
 */
export function declaredType(schema: JSONSchemaProps, isResource: boolean, name: string): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) return scalar(dyn, 1, maxCharacters(schema));
  if (isResource) return objectType(asResourceSchema(schema), name);
  switch (schema.type) {
    case 'array':
      return listType(schema, name);
    case 'object':
      return isSchema(schema.additionalProperties) ? mapType(schema, name) : objectType(schema, name);
    case 'string':
      return stringType(schema);
    case 'boolean':
      return scalar(bool, 4);
    case 'number':
      return scalar(double, 1);
    case 'integer':
      return scalar(int, 1);
    default:
      return undefined;
  }
}

/** The schema with apiVersion, kind and the names in metadata. */
export function asResourceSchema(schema: JSONSchemaProps): JSONSchemaProps {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const isComplete =
    kind?.type === 'string' &&
    apiVersion?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties?.name?.type === 'string' &&
    metadata.properties.generateName?.type === 'string';
  return isComplete ? schema : { ...schema, properties: { ...schema.properties, ...resourceFields } };
}

function isEmbedded(schema: JSONSchemaProps): boolean {
  return schema['x-kubernetes-embedded-resource'] === true;
}

function listType(schema: JSONSchemaProps, name: string): DeclaredType | undefined {
  const items = itemsOf(schema);
  const item = items && declaredType(items, isEmbedded(items), `${name}.@idx`);
  if (item === undefined) return undefined;
  const maxSize = schema.maxItems ?? Math.floor((maxRequestBytes - 2) / (item.minBytes + 1));
  return { type: list(item.type), fields: noFields, item, maxSize: Math.max(0, maxSize), minBytes: 2 };
}

function mapType(schema: JSONSchemaProps, name: string): DeclaredType | undefined {
  const values = schema.additionalProperties as JSONSchemaProps;
  const item = declaredType(values, isEmbedded(values), `${name}.@elem`);
  if (item === undefined) return undefined;
  const maxSize = schema.maxProperties ?? Math.floor((maxRequestBytes - 2) / (item.minBytes + 6));
  return { type: map(string, item.type), fields: noFields, item, maxSize: Math.max(0, maxSize), minBytes: 2 };
}

function objectType(schema: JSONSchemaProps, name: string): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minBytes = 2;
  for (const [key, field] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(key);
    const type = declaredType(field, isEmbedded(field), `${name}.${escaped ?? key}`);
    if (type === undefined) continue;
    if (escaped !== undefined) fields.set(escaped, type);
    const isRequired = schema.required?.includes(key) && (field.default ?? undefined) === undefined;
    if (isRequired) minBytes += Buffer.byteLength(key) + type.minBytes + 4;
  }
  return { type: struct(name), fields, item: undefined, maxSize: 0, minBytes };
}

// Characters may take four bytes each, and sizes are bytes here.
function maxCharacters({ maxLength }: JSONSchemaProps): number {
  return maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, maxLength) * 4;
}

function stringType(schema: JSONSchemaProps): DeclaredType {
  const { format, maxLength, enum: allowed = [] } = schema;
  if (format === 'byte')
    return scalar(bytes, 2, maxLength === undefined ? maxRequestBytes - 2 : Math.max(0, maxLength));
  if (format === 'duration') return scalar(duration, 3, 32);
  if (format === 'date') return scalar(timestamp, 12, 12);
  if (format === 'date-time') return scalar(timestamp, 21, 32);
  const longest = Math.max(0, ...allowed.map((each) => (typeof each === 'string' ? Buffer.byteLength(each) : 0)));
  return scalar(string, 2, maxLength === undefined && allowed.length > 0 ? longest : maxCharacters(schema));
}
