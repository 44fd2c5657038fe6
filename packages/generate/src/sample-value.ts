/**
 * A value that a schema allows, as a person might write it: examples and defaults first, then what the type, the format
 * and the limits suggest. What is optional is left out, unless there is an example.
 *
 * Does not: solve rules in CEL, or any pattern. Whoever asks validates the result.
 */
import { isObject } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileStructural } from '@keelson/schema/validation';

/** The value; `undefined` when the schema says nothing to go by. */
export function sampleValue(schema: JSONSchemaProps): unknown {
  const all = candidatesOf(schema);
  if (all.length <= 1) return all[0];
  return allowedOf(schema, all).next().value ?? all[0];
}

function* allowedOf(schema: JSONSchemaProps, values: readonly unknown[]): Generator<unknown, undefined> {
  const holder = compileStructural({ type: 'object', properties: { value: schema } });
  for (const value of values) {
    if (value !== undefined && holder.validate({ value }).length === 0) yield value;
  }
}

function candidatesOf(schema: JSONSchemaProps): readonly unknown[] {
  const { example, default: fallback, enum: choices } = schema;
  if (example !== undefined) return [example];
  if (fallback !== undefined && !isEmptyObject(fallback)) return [fallback];
  if (choices !== undefined) return choices;
  const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  return [schema, ...alternatives.map((each) => joined(schema, each))].flatMap(byType);
}

/** A default of `{}` is there for the defaults inside. */
const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

/** What a branch of oneOf or anyOf asks for beside the schema itself. */
function joined(schema: JSONSchemaProps, branch: JSONSchemaProps): JSONSchemaProps {
  const properties = { ...schema.properties };
  for (const [name, field] of Object.entries(branch.properties ?? {})) {
    properties[name] = { ...properties[name], ...field };
  }
  return { ...schema, properties, required: [...(schema.required ?? []), ...(branch.required ?? [])] };
}

function byType(schema: JSONSchemaProps): readonly unknown[] {
  if (schema['x-kubernetes-embedded-resource']) {
    return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'example' } }];
  }
  if (schema['x-kubernetes-int-or-string']) return [1, ...texts];
  switch (schema.type) {
    case 'object':
      return [objectValue(schema)];
    case 'array':
      return [arrayValue(schema)];
    case 'string':
      return textValues(schema);
    case 'integer':
    case 'number':
      return numberValues(schema);
    case 'boolean':
      return [true, false];
    default:
      return [{}];
  }
}

function objectValue({ properties = {}, required = [], ...schema }: JSONSchemaProps): unknown {
  const wanted = Object.entries(properties).filter(([name, field]) => required.includes(name) || hasExample(field));
  const fields = wanted.map(([name, field]) => [name, sampleValue(field)] as const);
  const { additionalProperties: values, minProperties = 0 } = schema;
  const more = Math.max(0, minProperties - fields.length);
  const extra = Array.from({ length: more }, (_, i) => [
    i === 0 ? 'example' : `example-${i + 1}`,
    typeof values === 'object' ? sampleValue(values as JSONSchemaProps) : 'example',
  ]);
  return Object.fromEntries([...fields, ...extra]);
}

/** What an author has shown how to write belongs into a sample. */
const hasExample = ({ example, properties = {} }: JSONSchemaProps): boolean =>
  example !== undefined || Object.values(properties).some(hasExample);

/** As many as there must be, and one to show what they are. */
function arrayValue({ items, minItems = 0, maxItems = Number.POSITIVE_INFINITY }: JSONSchemaProps): readonly unknown[] {
  const schema = items as JSONSchemaProps | undefined;
  if (schema === undefined) return [];
  const allowed = [...allowedOf(schema, candidatesOf(schema))];
  const usable = allowed.length > 0 ? allowed : [sampleValue(schema)];
  const count = Math.min(Math.max(minItems, 1), maxItems);
  // Lists that are sets want different ones, as long as there are any.
  return Array.from({ length: count }, (_, i) => usable[i % usable.length]);
}

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  duration: '5m',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  cidr: '192.0.2.0/24',
  mac: '02:00:5e:00:53:01',
  uri: 'https://example.com',
  hostname: 'example.com',
  email: 'user@example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  byte: 'ZXhhbXBsZQ==',
};

/** What people write into fields, from the plain to the peculiar; the first that the pattern lets pass is taken. */
const texts = [
  ...['example', 'example-2', 'Example', 'EXAMPLE', 'example.com', 'https://example.com', 'user@example.com'],
  ...['a', 'A', '1', '10', '100', '1.0', '1.0.0', 'v1', 'v1.0.0', '50%', '100m', '64Mi', '1Gi', '5m', '1h', '30s'],
  ...['* * * * *', '@daily', '2026-01-01', '2026-01-01T00:00:00Z', '00:00', '12:30', '192.0.2.1', '192.0.2.0/24'],
  ...['/example', '/', '.', 'example:1.0', 'example/example', 'example.com/example', 'key=value', 'en-US', '#336699'],
  ...['0123456789abcdef', '123e4567-e89b-42d3-a456-426614174000', 'ZXhhbXBsZQ==', '+4930123456', 'X1', 'ABC123', ''],
];

function textValues({
  format = '',
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: JSONSchemaProps): readonly string[] {
  const fitting = texts.map((text) => text.slice(0, Math.min(text.length, maxLength)).padEnd(minLength, text || 'x'));
  return [...new Set([...(byFormat[format] === undefined ? [] : [byFormat[format]]), ...fitting])];
}

/** One, or what is nearest to it. */
function numberValues(schema: JSONSchemaProps): readonly number[] {
  const { type, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, multipleOf = 1 } = schema;
  const step = type === 'integer' ? Math.max(1, multipleOf) : multipleOf;
  const lowest = schema.exclusiveMinimum ? minimum + step : minimum;
  const highest = schema.exclusiveMaximum ? maximum - step : maximum;
  const nearest = Math.min(Math.max(1, lowest), highest);
  const between = (minimum + maximum) / 2;
  return [Math.ceil(nearest / step) * step, Math.floor(nearest / step) * step, nearest, between].filter(
    Number.isFinite,
  );
}
