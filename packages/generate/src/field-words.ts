/** What a schema says of a field, in words: its type, its default and its limits. */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';

/** `list of string`, `integer (int32)`. */
export function typeOf(schema: JSONSchemaProps): string {
  if (schema['x-kubernetes-int-or-string']) return 'integer or string';
  if (schema['x-kubernetes-embedded-resource']) return 'Kubernetes object';
  const { type, format, items, additionalProperties: values } = schema;
  if (type === 'array') return `list of ${typeOf((items ?? {}) as JSONSchemaProps)}`;
  if (type === 'object' && values) {
    return `map of ${typeof values === 'object' ? typeOf(values as JSONSchemaProps) : 'any'}`;
  }
  return `${type ?? 'any'}${format === undefined ? '' : ` (${format})`}`;
}

/** Each a phrase without a full stop; rules with their messages are among them. */
export function limitsOf(schema: JSONSchemaProps): readonly string[] {
  const { minimum, maximum, enum: choices, pattern, multipleOf } = schema;
  const item = schema.items as JSONSchemaProps | undefined;
  const values = schema.additionalProperties;
  const inner = item ?? (typeof values === 'object' ? (values as JSONSchemaProps) : undefined);
  return [
    ...(schema.default === undefined || isEmpty(schema.default) ? [] : [`Default: ${json(schema.default)}`]),
    ...(choices === undefined ? [] : [`One of ${choices.map(json).join(', ')}`]),
    ...range('Value', minimum, maximum, schema),
    ...(multipleOf === undefined ? [] : [`A multiple of ${multipleOf}`]),
    ...range('Length', schema.minLength, schema.maxLength),
    ...range('Items', schema.minItems, schema.maxItems),
    ...range('Entries', schema.minProperties, schema.maxProperties),
    ...(pattern === undefined ? [] : [`Pattern: ${codeSpan(pattern)}`]),
    ...(schema.nullable ? ['It may be null'] : []),
    ...(schema['x-kubernetes-list-type'] === 'set' ? ['No item stands twice'] : []),
    ...(schema['x-kubernetes-list-map-keys']
      ? [`One for each ${schema['x-kubernetes-list-map-keys'].join(', ')}`]
      : []),
    ...(schema['x-kubernetes-preserve-unknown-fields'] ? ['It may have any fields'] : []),
    ...(schema['x-kubernetes-validations'] ?? []).map(({ message, rule }) =>
      message === undefined ? `Rule: ${codeSpan(rule)}` : capital(message),
    ),
    ...(schema.example === undefined ? [] : [`For example ${json(schema.example)}`]),
    ...(inner === undefined ? [] : limitsOf(inner).map((limit) => `Each: ${limit}`)),
  ];
}

function range(
  what: string,
  least: number | undefined,
  most: number | undefined,
  { exclusiveMinimum, exclusiveMaximum }: JSONSchemaProps = {},
): readonly string[] {
  const from = least === undefined ? undefined : `${exclusiveMinimum ? 'more than' : 'at least'} ${least}`;
  const to = most === undefined ? undefined : `${exclusiveMaximum ? 'less than' : 'at most'} ${most}`;
  const limits = [from, to].filter((each) => each !== undefined);
  return limits.length === 0 ? [] : [`${what}: ${limits.join(', ')}`];
}

/** A default that only says that there is something: an empty text, or an object for the defaults inside. */
const isEmpty = (value: unknown): boolean => ['{}', '""'].includes(JSON.stringify(value));

const json = (value: unknown): string => codeSpan(JSON.stringify(value));

/** Whatever it holds, a star or backquotes included: more of them stand around it than anywhere in it. */
export function codeSpan(words: string): string {
  const longest = Math.max(1, ...(words.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$/.test(words) ? ' ' : '';
  return `${fence}${space}${words}${space}${fence}`;
}

const capital = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
