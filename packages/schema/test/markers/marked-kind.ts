/**
 * Kinds that show the counterparts of controller-gen's markers, at least one kind for each.
 *
 * Read by three suites: beside the table of docs/schema.md, with `expected`; on a real API server, which must accept the
 * CRD; and there again with random objects.
 */
import type { JSONSchemaProps, NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import type { crdOf, DefinedKind } from '@keelson/schema';
import { z } from 'zod';

type Definition = Parameters<typeof crdOf>[0]['definition'];
type Version = Definition['versions'][string];

export interface MarkedKind {
  /** Ends the sentence "a kind can have …". */
  readonly what: string;
  /** As they are written in Go, without the plus sign and values. */
  readonly markers: readonly string[];
  readonly kind: Pick<DefinedKind, 'definition'>;
  /** What its CRD has, among other things. */
  readonly expected: unknown;
}

let count = 0;

/** A kind with a field of this schema, and what the field is in the CRD, among other things. */
export function field(
  what: string,
  markers: readonly string[],
  schema: z.ZodType,
  expected: PartialDeep<JSONSchemaProps>,
): MarkedKind {
  return spec(what, markers, z.object({ field: schema }), { properties: { field: expected } });
}

/** The same of the whole spec. */
export function spec(
  what: string,
  markers: readonly string[],
  schema: z.ZodObject,
  expected: PartialDeep<JSONSchemaProps>,
): MarkedKind {
  const versions = [{ schema: { openAPIV3Schema: { properties: { spec: expected } } } }];
  return definition(what, markers, { versions: { v1: { storage: true, spec: schema } } }, { spec: { versions } });
}

/** A kind with a spec of one field, and what this definition adds to it. */
export function definition(
  what: string,
  markers: readonly string[],
  partial: Partial<Definition>,
  expected: PartialDeep<NewCustomResourceDefinition>,
): MarkedKind {
  count += 1;
  const v1: Version = { storage: true, spec: z.object({ size: z.int32().default(1) }) };
  const kind = { group: 'markers.example.com', kind: `Marked${count}`, hub: 'v1', versions: { v1 }, ...partial };
  return { what, markers, kind: { definition: kind }, expected };
}

type PartialDeep<T> = T extends object ? { readonly [Field in keyof T]?: PartialDeep<T[Field]> } : T;
