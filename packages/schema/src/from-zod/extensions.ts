/** What an author adds to a schema by `.meta()`: descriptions, CEL rules and the extensions of Kubernetes. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { z } from 'zod';
import { formatOf } from '../formats/formats.ts';
import type { DefinitionField } from './definition-field.ts';
import { refuseUnjudged } from './judged-rules.ts';
import type { ValidationRule } from './validation-rule.ts';

/** The extensions of a structural schema; see https://kubernetes.io/docs/reference/kubernetes-api/ under JSONSchemaProps. */
export interface StructuralMeta {
  /** CEL rules that the API server enforces; they also stand in for a `.refine()` on the same schema. */
  'x-kubernetes-validations'?: readonly ValidationRule[] | undefined;
  /** How a list is merged by apply: whole, as a set, or item by item. */
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map' | undefined;
  /** The fields by which the items of a `map` list are told apart. */
  'x-kubernetes-list-map-keys'?: readonly string[] | undefined;
  /** How an object is merged by apply: field by field, or whole. */
  'x-kubernetes-map-type'?: 'granular' | 'atomic' | undefined;
  /** Keeps fields that the schema does not name. */
  'x-kubernetes-preserve-unknown-fields'?: true | undefined;
  /** The value is a whole Kubernetes object, with apiVersion, kind and metadata. */
  'x-kubernetes-embedded-resource'?: true | undefined;
  'x-kubernetes-int-or-string'?: true | undefined;
  /** A value as users may write it; the schema must take it. */
  example?: z.core.$input | undefined;
  /** Where more is said about the field. */
  externalDocs?: { readonly url: string; readonly description?: string | undefined } | undefined;
  /** Limits of a map, which zod has not, and which a rule on a map needs, so that its cost can be estimated. */
  minProperties?: number | undefined;
  maxProperties?: number | undefined;
}

declare module 'zod' {
  interface GlobalMeta extends StructuralMeta {}
}

const known: ReadonlySet<string> = new Set<keyof StructuralMeta>([
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'example',
  'externalDocs',
  'minProperties',
  'maxProperties',
]);

/** What `.meta()` and `.describe()` say, as far as it concerns a CRD. */
export function extensionsOf(schema: z.core.$ZodType, at: DefinitionField): JSONSchemaProps {
  const meta: Readonly<Record<string, unknown>> = z.globalRegistry.get(schema) ?? {};
  const extensions: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(meta)) {
    if (value === undefined) continue;
    if (key === 'x-kubernetes-validations') refuseUnjudged(value as readonly ValidationRule[], at);
    if (key === 'example' && !z.safeParse(schema, value).success) {
      at.refuse(`its example ${JSON.stringify(value)} does not fit: give one that the schema takes`);
    }
    if (key === 'description' || key === 'title' || known.has(key)) extensions[key] = value;
    else if (key.startsWith('x-kubernetes-'))
      at.refuse(`Kubernetes has no extension ${key}: use one of ${[...known].join(', ')}`);
    else if (key === 'format') {
      if (typeof value === 'string' && formatOf(value) !== undefined) extensions.format = value;
      else at.refuse(`the API server ignores the format ${JSON.stringify(value)}: use a .regex()`);
    }
  }
  return extensions;
}

/** `schema` with what the author added to it. Rules add up, everything else replaces what was there. */
export function extended(schema: JSONSchemaProps, extensions: JSONSchemaProps): JSONSchemaProps {
  const rules = [...(schema['x-kubernetes-validations'] ?? []), ...(extensions['x-kubernetes-validations'] ?? [])];
  return { ...schema, ...extensions, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) };
}
