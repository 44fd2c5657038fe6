/** Fields of custom kinds that hold built-in types: a pod template, tolerations, resources. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { z } from 'zod';
import { lateSchema } from './raw-schema.ts';

/** Schemas as JSON by module and name: `v1/Toleration`. In there, `$ref` names another of them. */
const schemas = new Map<string, string>();

/** The zod schema of a built-in type. What it refers to may be made known later, before it is first used. */
export function builtIn<T>(key: string, schema: string): z.ZodType<T, T> {
  schemas.set(key, schema);
  return lateSchema(() => resolved({ $ref: key }));
}

/** The schema with everything written out that it refers to, since a CRD has no references. */
function resolved({ $ref, ...own }: JSONSchemaProps): JSONSchemaProps {
  if ($ref === undefined) {
    const { properties, items, additionalProperties } = own;
    return {
      ...own,
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, resolved(each)])),
      }),
      ...(items !== undefined && { items: resolved(items as JSONSchemaProps) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: resolved(additionalProperties as JSONSchemaProps),
      }),
    };
  }
  const text = schemas.get($ref);
  if (text === undefined) throw new TypeError(`there is no schema of ${$ref}`);
  // The place says more about the field than its type does.
  return { ...resolved(JSON.parse(text) as JSONSchemaProps), ...own };
}
