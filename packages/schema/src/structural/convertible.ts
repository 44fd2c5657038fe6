/** Whether a schema has a structural form at all. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { isSchema, itemsOf } from '../tree/schema-node.ts';

/** The first keyword, here or below, that the structural form has no place for; most are also refused where they stand. */
export function unconvertible(schema: JSONSchemaProps): string | undefined {
  return [...everySchema(schema)].map(unconvertibleHere).find((each) => each !== undefined);
}

function unconvertibleHere(schema: JSONSchemaProps): string | undefined {
  for (const [name, shown] of [
    ['id', 'id'],
    ['$schema', 'schema'],
    ['$ref', '$ref'],
    ['patternProperties', 'patternProperties'],
    ['dependencies', 'dependencies'],
    ['additionalItems', 'additionalItems'],
    ['definitions', 'definitions'],
  ] as const) {
    const value = schema[name];
    const isThere = typeof value === 'object' ? Object.keys(value).length > 0 : value !== undefined && value !== '';
    if (isThere) return `OpenAPIV3Schema '${shown}' is not supported`;
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return schema['x-kubernetes-preserve-unknown-fields'] === false
    ? "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    : undefined;
}

/** The schema, and all those inside of it. */
export function* everySchema(schema: JSONSchemaProps): Iterable<JSONSchemaProps> {
  yield schema;
  const items = itemsOf(schema);
  const { allOf = [], anyOf = [], oneOf = [], not, properties = {}, additionalProperties } = schema;
  const nested = [...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
  if (items !== undefined) nested.push(items);
  if (not !== undefined) nested.push(not);
  if (isSchema(additionalProperties)) nested.push(additionalProperties);
  for (const each of nested) yield* everySchema(each);
}
