import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operator } from '@keelson/core';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { defineKind } from '@keelson/schema';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import { generateFiles } from './generate-files.ts';
import { sampleValue } from './sample-value.ts';

const cases: readonly (readonly [string, JSONSchemaProps, unknown])[] = [
  ['an example before all else', { type: 'integer', example: 7, default: 3 }, 7],
  ['a default', { type: 'integer', default: 3 }, 3],
  ['the first choice', { type: 'string', enum: ['Fast', 'Safe'] }, 'Fast'],
  ['one, or the nearest number', { type: 'integer' }, 1],
  ['the least number', { type: 'integer', minimum: 30 }, 30],
  ['more than the least', { type: 'integer', minimum: 30, exclusiveMinimum: true }, 31],
  ['a multiple', { type: 'integer', minimum: 7, multipleOf: 5 }, 10],
  [
    'a fraction between the limits',
    { type: 'number', minimum: 0, maximum: 0.5, exclusiveMinimum: true, exclusiveMaximum: true },
    0.25,
  ],
  ['a text', { type: 'string' }, 'example'],
  ['a short text', { type: 'string', maxLength: 3 }, 'exa'],
  ['a long text', { type: 'string', minLength: 10 }, 'exampleexa'],
  ['a date', { type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z'],
  ['a text that the pattern lets pass', { type: 'string', pattern: '^[0-9]+Mi$' }, '64Mi'],
  ['a schedule', { type: 'string', pattern: '^(\\S+ ){4}\\S+$' }, '* * * * *'],
  ['a yes', { type: 'boolean' }, true],
  ['a number where texts may be, too', { 'x-kubernetes-int-or-string': true }, 1],
  ['one item', { type: 'array', items: { type: 'string' } }, ['example']],
  [
    'different items',
    { type: 'array', minItems: 2, items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ['example', 'example-2'],
  ],
  [
    'what is required alone',
    { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, b: { type: 'integer' } } },
    { a: 1 },
  ],
  [
    'what has an example below',
    { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'string', example: 'x' } } } } },
    { a: { b: 'x' } },
  ],
  ['entries', { type: 'object', minProperties: 1, additionalProperties: { type: 'integer' } }, { example: 1 }],
  [
    'the first branch that holds',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    { a: 'example' },
  ],
];

for (const [what, schema, value] of cases) {
  test(`a sample takes ${what}`, () => {
    assert.deepEqual(sampleValue(schema), value);
  });
}

test('a sample that is not valid says what is wrong and how to mend it', () => {
  const Odd = defineKind({
    group: 'example.com',
    kind: 'Odd',
    hub: 'v1',
    versions: {
      v1: {
        storage: true,
        spec: z
          .object({
            code: z
              .string()
              .max(9)
              .regex(/^Q[0-9]Q$/),
          })
          .meta({
            'x-kubernetes-validations': [rule("self.code != 'Q1Q'", { message: 'not this one' })],
          }),
      },
    },
  });
  const files = generateFiles(operator({ name: 'odd', controllers: [{ for: Odd }] }));
  const sample = files.find(({ path }) => path === 'config/samples/example_v1_odd.yaml');
  assert.match(
    sample?.warning ?? '',
    /^the sample of Odd v1 is not valid yet \(spec\.code: .*\): give the field an example$/,
  );
  assert.match(sample?.text ?? '', /^# It is not valid yet:\n# spec\.code: .*\n/);
});
