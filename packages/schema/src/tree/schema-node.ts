/** The structure of a schema, compiled once: what pruning, defaulting, correlation and rules need at each place. */
import type { JSONSchemaProps, ValidationRule } from '@keelson/core/apiextensions/v1';

/** A place in the tree of a schema. */
export interface SchemaNode {
  readonly schema: JSONSchemaProps;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Of fields that are not named: their schema, `open` where anything may stand, undefined where none are known. */
  readonly additional: SchemaNode | 'open' | undefined;
  readonly items: SchemaNode | undefined;
  /** A default of null is none. */
  readonly default: unknown;
  readonly isNullable: boolean;
  readonly preservesUnknown: boolean;
  readonly isEmbedded: boolean;
  /** Keys that tell the items apart, where the list is a map. */
  readonly listMapKeys: readonly string[] | undefined;
  readonly listType: string | undefined;
  readonly rules: readonly ValidationRule[];
  /** Whether something is said here or below about … */
  readonly has: { readonly defaults: boolean; readonly embedded: boolean; readonly lists: boolean };
}

/** The tree of a schema. */
export function compileNode(schema: JSONSchemaProps): SchemaNode {
  const properties = new Map(
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, compileNode(field)]),
  );
  const { additionalProperties, items: element } = schema;
  const additional = isSchema(additionalProperties)
    ? compileNode(additionalProperties)
    : additionalProperties === undefined
      ? undefined
      : 'open';
  const items = itemsOf(schema) === undefined ? undefined : compileNode(element as JSONSchemaProps);
  const listType = schema['x-kubernetes-list-type'];
  const below = [
    ...properties.values(),
    ...(typeof additional === 'object' ? [additional] : []),
    ...(items ? [items] : []),
  ];
  return {
    schema,
    properties,
    additional,
    items,
    default: schema.default ?? undefined,
    isNullable: schema.nullable === true,
    preservesUnknown: schema['x-kubernetes-preserve-unknown-fields'] === true,
    isEmbedded: schema['x-kubernetes-embedded-resource'] === true,
    listMapKeys: listType === 'map' && schema.type === 'array' ? schema['x-kubernetes-list-map-keys'] : undefined,
    listType,
    rules: schema['x-kubernetes-validations'] ?? [],
    has: {
      defaults: (schema.default ?? undefined) !== undefined || below.some(({ has }) => has.defaults),
      embedded: schema['x-kubernetes-embedded-resource'] === true || below.some(({ has }) => has.embedded),
      lists: listType === 'map' || listType === 'set' || below.some(({ has }) => has.lists),
    },
  };
}

/** The root of an object is a resource like an embedded one: apiVersion, kind and metadata need no schema. */
export function asResource(node: SchemaNode): SchemaNode {
  return node.isEmbedded ? node : { ...node, isEmbedded: true, has: { ...node.has, embedded: true } };
}

/** The schema of a field, named or not. */
export function fieldNode(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  if (node === undefined) return undefined;
  return node.properties.get(name) ?? (node.additional === 'open' ? undefined : node.additional);
}

/** Whether there is a schema, rather than a boolean or a list. */
export function isSchema(value: unknown): value is JSONSchemaProps {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The one schema of a list's items; a list of schemas is refused by the API server. */
export function itemsOf({ items }: JSONSchemaProps): JSONSchemaProps | undefined {
  return isSchema(items) ? items : undefined;
}
