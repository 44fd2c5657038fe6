/** The schema of a kind with everything that it refers to put in its place. */
import { isObject, type JsonObject } from '../object.ts';
import type { Resource } from '../resource/resource.ts';
import { builtInDocument, schemaNameOf } from './documents.ts';

/** `undefined` where there is none. What contains itself is an object of any content where it comes again. */
export function resolvedSchema(resource: Resource): JsonObject | undefined {
  if (resource.strategy.custom) return resource.strategy.openApiSchema();
  const schemas = (builtInDocument(resource).components as JsonObject | undefined)?.schemas as JsonObject | undefined;
  if (schemas === undefined) return undefined;
  return resolved(schemas, schemas[schemaNameOf(resource)], []) as JsonObject | undefined;
}

const prefix = '#/components/schemas/';

function resolved(schemas: JsonObject, value: unknown, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(schemas, each, open));
  if (!isObject(value)) return value;
  const reference = referenceOf(value);
  if (reference !== undefined) {
    if (open.includes(reference)) return { type: 'object' };
    const found = resolved(schemas, schemas[reference], [...open, reference]);
    return isObject(found) && found.format === 'int-or-string' ? { 'x-kubernetes-int-or-string': true } : found;
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'description' && name !== 'default')
      .map(([name, each]) => [name, resolved(schemas, each, open)]),
  );
}

/** Alone, or in a list of one, beside which a field has its own description and default. */
function referenceOf({ $ref, allOf }: JsonObject): string | undefined {
  const single = Array.isArray(allOf) && allOf.length === 1 ? (allOf[0] as JsonObject).$ref : undefined;
  const found = $ref ?? single;
  return typeof found === 'string' ? found.slice(prefix.length) : undefined;
}
