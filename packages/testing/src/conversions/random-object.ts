/**
 * Random objects of a schema, which its API server would accept: most fields now and then absent, values around limits.
 *
 * Texts with a pattern or a format are chosen from common ones; where none fits, an optional field is left out.
 */
import { isObject, type JsonObject, type Random } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import type { StructuralSchema } from '@keelson/schema/validation';

/** The fields of a version's objects: spec and status. */
export type Fields = JsonObject;

export interface RandomVersion {
  readonly schema: JSONSchemaProps;
  readonly structural: StructuralSchema;
}

const attempts = 50;

/** Fields that are valid, with their defaults. The later the attempt, the fewer of them. */
export function randomFields({ schema, structural }: RandomVersion, random: Random): Fields | undefined {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const made = randomObject(schema, random, 0.6 * (1 - attempt / attempts));
    const fields = structural.default(structural.prune(made).value) as Fields;
    if (structural.validate({ metadata: { name: 'object' }, ...fields }).length === 0) return fields;
  }
  return undefined;
}

function randomObject(schema: JSONSchemaProps, random: Random, chance: number): JsonObject {
  const required = new Set(schema.required);
  const known = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    if (!required.has(name) && random.next() >= chance) return [];
    const value = randomValue(field, random, chance);
    return value === undefined ? [] : [[name, value] as const];
  });
  const others = schema.additionalProperties;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const names = isOpen || isObject(others) ? ['a', 'b.example.com/c', 'x-y'].filter(() => random.next() < chance) : [];
  const free = names.map((name) => {
    const value = isObject(others) ? randomValue(others as JSONSchemaProps, random, chance) : pick(anything, random);
    return [name, value] as const;
  });
  return Object.fromEntries([...free.filter(([, value]) => value !== undefined), ...known]);
}

const anything: readonly unknown[] = [null, true, 0, 1.5, '', 'text', [], {}, [1, { a: null }], { b: [] }];

/** Undefined where none is known. */
function randomValue(schema: JSONSchemaProps, random: Random, chance: number): unknown {
  if (schema.nullable && random.next() < 0.2) return null;
  if (schema.default !== undefined && random.next() < 0.2) return schema.default;
  if (schema.enum !== undefined) return pick(schema.enum, random);
  if (schema['x-kubernetes-int-or-string']) return random.next() < 0.5 ? randomNumber(schema, random) : '25%';
  switch (schema.type) {
    case 'string':
      return randomText(schema, random);
    case 'integer':
    case 'number':
      return randomNumber(schema, random);
    case 'boolean':
      return random.next() < 0.5;
    case 'array':
      return randomList(schema, random, chance);
    case 'object':
      return randomObject(schema, random, chance);
    default:
      return pick(anything, random);
  }
}

function randomList(schema: JSONSchemaProps, random: Random, chance: number): readonly unknown[] {
  const { minItems = 0, maxItems = minItems + 3, items } = schema;
  const length = minItems + Math.floor(random.next() * (Math.min(maxItems, minItems + 3) - minItems + 1));
  const made = Array.from({ length }, () => randomValue((items ?? {}) as JSONSchemaProps, random, chance));
  const keys = schema['x-kubernetes-list-map-keys'];
  const identity = (item: unknown) => JSON.stringify(keys && isObject(item) ? keys.map((key) => item[key]) : item);
  const unique = new Map(made.map((item) => [identity(item), item]));
  const isBag = schema['x-kubernetes-list-type'] === undefined || schema['x-kubernetes-list-type'] === 'atomic';
  return (isBag ? made : [...unique.values()]).filter((item) => item !== undefined);
}

function randomNumber(schema: JSONSchemaProps, random: Random): number {
  const { multipleOf = 1, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = (schema.minimum ?? Math.min(0, schema.maximum ?? 0)) + (exclusiveMinimum ? multipleOf : 0);
  const high = (schema.maximum ?? low + 1000) - (exclusiveMaximum ? multipleOf : 0);
  const choices = [low, high, low + Math.floor(random.next() * (high - low + 1))];
  return Math.ceil(pick(choices, random) / multipleOf) * multipleOf;
}

/** Names, quantities, durations, times, addresses and the like. */
const texts: readonly string[] =
  `a web a-b cache-0 a.example.com http v1 apps/v1 ConfigMap Ready Available In Always Never TCP
  0 1 80 1.5 25% 100m 64Mi 1536Ki 1Gi 1.5Gi 500M 30s 1h30m -1s @daily 0|3|*|*|* 2026-01-31 2026-01-31T10:00:00Z
  10.0.0.1 10.0.0.0/8 2001:db8::1 2001:db8::/32 ada@example.com https://example.com/a /var/lib/a aGk=
  memcached:1.6 registry.example.com/memcached:1.6.29-alpine 1.6.29 4fd0a3f5-2b1c-4c8e-9d3f-0123456789ab A_B -m`
    .split(/\s+/)
    .map((text) => text.replaceAll('|', ' '));

function randomText(schema: JSONSchemaProps, random: Random): string | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = '', example } = schema;
  if (pattern !== undefined || format !== '') return pick(fittingTexts(schema), random);
  const made = `${pick(texts, random)}${random.next() < 0.1 ? ' é😀' : ''}`.slice(0, maxLength).padEnd(minLength, 'x');
  return typeof example === 'string' ? pick([made, example], random) : made;
}

const fitting = new WeakMap<JSONSchemaProps, readonly string[]>();

function fittingTexts(schema: JSONSchemaProps): readonly string[] {
  const known = fitting.get(schema);
  if (known !== undefined) return known;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, example } = schema;
  const found = texts.filter((text) => text.length >= minLength && text.length <= maxLength && matches(pattern, text));
  const all = typeof example === 'string' ? [example, ...found] : found;
  fitting.set(schema, all);
  return all;
}

/** Near enough: the schema itself judges the whole object. */
function matches(pattern: string | undefined, text: string): boolean {
  try {
    return pattern === undefined || new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** One of several; undefined of none. */
export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random.next() * values.length)] as T;
}
