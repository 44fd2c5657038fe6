/** Structural schemas that an author gives as they are, for what zod cannot say. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { z } from 'zod';

const given = z.registry<{ readonly schema: () => JSONSchemaProps }>();

/**
 * A field whose structural schema is `schema` as it stands, with values of type `T`: the way out for what zod cannot
 * say. zod lets every value pass; the API server judges them. What a CRD may not have is refused by `defineKind`.
 *
 * @example
 * weight: rawSchema<number>({ type: 'number', not: { enum: [0] } }).optional()
 */
export function rawSchema<T>(schema: JSONSchemaProps): z.ZodType<T, T> {
  return lateSchema(() => schema);
}

/** The same with a schema that is made when it is asked for. */
export function lateSchema<T>(schema: () => JSONSchemaProps): z.ZodType<T, T> {
  return z.custom<T>().register(given, { schema });
}

/** The schema that was given for this field; none for one that zod states. */
export function givenSchema(field: z.core.$ZodType): JSONSchemaProps | undefined {
  return given.get(field)?.schema();
}
