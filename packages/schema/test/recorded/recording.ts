/**
 * Recordings: what a real API server answered to objects of many schemas, and to the schemas themselves.
 *
 * Cases are written by hand; their answers come from Kubernetes (test/e2e/validation.test.ts makes and checks them) and
 * the tests of validation replay them.
 */
import { readFileSync } from 'node:fs';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { Problem } from '@keelson/schema/validation';

/** One entry of `status.details.causes`. */
export type Cause = Pick<Problem, 'reason' | 'field' | 'message'>;

export type Json = Readonly<Record<string, unknown>>;

/** Objects of one schema, without apiVersion, kind and metadata. */
export interface Group {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  readonly hasStatus?: boolean;
  readonly cases: readonly Case[];
}

export interface Case {
  readonly object: Json;
  /** What the object was before; it need not be valid. */
  readonly old?: Json;
  /** Whether the update goes to the status subresource. */
  readonly isStatus?: boolean;
}

/** A schema of a CRD. */
export interface SchemaCase {
  readonly name: string;
  readonly schema: JSONSchemaProps;
  readonly hasStatus?: boolean;
}

export interface Answer {
  readonly status: number;
  /** Of objects that cannot be decoded: what follows `cannot be handled as a …: `. */
  readonly malformed?: string;
  /** Sorted, since the server tells them in any order. */
  readonly causes?: readonly Cause[];
  /** Unknown fields first, as the server tells them; the others sorted. */
  readonly warnings?: readonly string[];
  /** The object as it was stored. */
  readonly object?: Json;
}

export interface Recording {
  readonly group: string;
  readonly case: unknown;
  readonly answer: Answer;
}

export function readRecordings(file: string): readonly Recording[] {
  const text = readFileSync(new URL(`./${file}.jsonl`, import.meta.url), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Recording]));
}

/** Types of schemas have a name that differs from run to run. */
export function comparable(causes: readonly Cause[]): readonly Cause[] {
  return causes
    .map(({ reason, field, message }) => ({ reason, field, message: message.replace(/selfType\d+/g, 'selfType0') }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

export function comparableWarnings(warnings: readonly string[]): readonly string[] {
  const isUnknownField = (text: string) => text.startsWith('unknown field');
  return [...warnings.filter(isUnknownField), ...warnings.filter((text) => !isUnknownField(text)).sort()];
}
