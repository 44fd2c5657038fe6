/**
 * Random objects for a structural schema: most of what they hold fits it, so that verdicts go both ways.
 *
 * Values lie around the limits of the schema. Now and then something is missing, of another type, or unknown.
 */
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import * as fc from 'fast-check';

type Values = fc.Arbitrary<unknown>;

const texts = [
  '',
  'a',
  'ab',
  'abc',
  'a-b',
  'web',
  'é😀',
  '80',
  '10%',
  'TCP',
  '1Gi',
  '0.5',
  '1h30m',
  '-1s',
  '2026-01-31',
  '2026-02-30',
  '2026-01-31T10:00:00Z',
  '10.0.0.1',
  '300.0.0.1',
  '2001:db8::/32',
  'ada@example.com',
  'https://example.com/a',
  'a.example.com',
  '4fd0a3f5-2b1c-4c8e-9d3f-0123456789ab',
  'aGk=',
  'v1',
  'apps/v1',
  'Pod',
  'In',
];
const odd: Values = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 31, 2 ** 40, '', 'x', [], {}, [null], { a: 1 }),
  fc.jsonValue({ maxDepth: 2, noUnicodeString: true }).map(withoutNegativeZero),
);

/** JSON has none, and JavaScript would write it as 0. */
function withoutNegativeZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Fields of whole objects of this schema: what stands beside apiVersion, kind and metadata. */
export function randomObject(root: JSONSchemaProps): fc.Arbitrary<Readonly<Record<string, unknown>>> {
  return fields(root) as fc.Arbitrary<Readonly<Record<string, unknown>>>;
}

function value(schema: JSONSchemaProps): Values {
  return mostly(fitting(schema), odd);
}

function mostly(usual: Values, seldom: Values): Values {
  return fc.oneof({ arbitrary: usual, weight: 19 }, { arbitrary: seldom, weight: 1 });
}

function fitting(schema: JSONSchemaProps): Values {
  const given = [schema.default, schema.example].filter((each) => each !== undefined);
  const own = ownValues(schema);
  const nulls = schema.nullable ? [fc.constant(null)] : [];
  return fc.oneof({ arbitrary: own, weight: 4 }, ...given.map((each) => fc.constant(each)), ...nulls);
}

function ownValues(schema: JSONSchemaProps): Values {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string']) return fc.oneof(numbers(schema, true), strings(schema));
  switch (schema.type) {
    case 'string':
      return strings(schema);
    case 'integer':
      return numbers(schema, true);
    case 'number':
      return numbers(schema, false);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(value((schema.items ?? {}) as JSONSchemaProps), { maxLength: (schema.maxItems ?? 2) + 1 });
    case 'object':
      return fields(schema);
    default:
      return odd;
  }
}

function strings({ minLength = 0, maxLength = minLength + 4 }: JSONSchemaProps): Values {
  const around = fc.string({ minLength: Math.max(0, minLength - 1), maxLength: Math.min(maxLength, 40) + 1 });
  const fit = texts.filter((text) => text.length >= minLength && text.length <= maxLength);
  return fc.oneof({ arbitrary: fc.constantFrom('', ...fit), weight: 4 }, around);
}

function numbers({ minimum = 0, maximum = minimum + 10, multipleOf = 1 }: JSONSchemaProps, isInteger: boolean): Values {
  const steps = [minimum - 1, minimum, minimum + 1, maximum - 1, maximum, maximum + 1, multipleOf, 3 * multipleOf];
  const whole = fc.oneof(fc.constantFrom(...steps), fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) }));
  return isInteger
    ? whole.map(Math.round)
    : fc.oneof(
        whole,
        whole.map((each) => each / 4),
      );
}

function fields(schema: JSONSchemaProps): Values {
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties: Readonly<Record<string, JSONSchemaProps>> = {
    ...schema.properties,
    ...(isEmbedded && { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: metadata }),
  };
  const required = new Set([...(schema.required ?? []), ...(isEmbedded ? ['apiVersion', 'kind'] : [])]);
  // A pod template has hundreds of optional fields: a few of them at a time.
  const seldom = Object.keys(properties).length > 6 ? 8 : 2;
  const known = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, each]) => {
        const chance = required.has(name) ? { present: 19, absent: 1 } : { present: 1, absent: seldom - 1 };
        const choices = [
          { arbitrary: value(each), weight: chance.present },
          { arbitrary: fc.constant(undefined), weight: chance.absent },
        ];
        return [name, fc.oneof(...choices)];
      }),
    ),
  );
  const others = schema.additionalProperties as JSONSchemaProps | undefined;
  const entries =
    others === undefined ? fc.constant({}) : fc.dictionary(names, value(others), { maxKeys: 3, noNullPrototype: true });
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const unknown = fc.dictionary(names, odd, { maxKeys: 1, noNullPrototype: true });
  const strangers = isOpen ? unknown : mostly(fc.constant({}), unknown);
  return fc.tuple(known, entries, strangers).map((parts) => withoutNegativeZero(Object.assign({}, ...parts)));
}

const names = fc.constantFrom('a', 'b', 'cpu', 'x-y', 'zone.example.com');
const metadata: JSONSchemaProps = {
  type: 'object',
  properties: { name: { type: 'string' }, labels: { type: 'object', additionalProperties: { type: 'string' } } },
};
