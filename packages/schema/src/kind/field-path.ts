/** Fields of a schema by a simple JSON path, such as `.spec.size`: how columns and subresources name them. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';

/**
 * The field's schema, or undefined where the schema has no such field. `unknown` when the path cannot be followed:
 * through metadata, lists, filters, maps, or fields that the schema does not name.
 */
export function fieldAt(root: JSONSchemaProps, path: string): JSONSchemaProps | 'unknown' | undefined {
  if (!/^(\.[A-Za-z_][A-Za-z0-9_-]*)+$/.test(path) || /^\.(metadata|apiVersion|kind)\b/.test(path)) return 'unknown';
  let schema: JSONSchemaProps = root;
  for (const name of path.slice(1).split('.')) {
    const field: JSONSchemaProps | undefined = schema.properties?.[name];
    if (field !== undefined) schema = field;
    else if (schema.additionalProperties || schema['x-kubernetes-preserve-unknown-fields']) return 'unknown';
    else return undefined;
  }
  return schema;
}
