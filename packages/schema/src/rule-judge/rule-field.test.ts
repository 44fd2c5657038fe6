/** Rules on fields that the compiler checks; a wrong name that compiled would be an unused expectation here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { crdOf } from '../kind/crd.ts';
import { compileStructural } from './compile-structural.ts';
import { rule } from './rule.ts';
import { atLeastOneOf, atMostOneOf, exactlyOneOf, immutable, withRules } from './with-rules.ts';

/** The messages with which values of a field are refused, in place of an old value if there is one. */
function refusals(schema: z.ZodType, value: unknown, old?: unknown): readonly string[] {
  const versions = { v1: { storage: true, spec: z.object({ field: schema }) } };
  const crd = crdOf({ definition: { group: 'example.com', kind: 'Cache', hub: 'v1', versions } });
  const compiled = compileStructural(crd.spec.versions[0]?.schema?.openAPIV3Schema ?? {});
  const object = (field: unknown) => ({ spec: { ...(field !== undefined && { field }) } });
  return compiled
    .validate(object(value), old === undefined ? undefined : object(old))
    .map(({ field, detail }) => `${field}: ${detail}`);
}

const range = withRules(z.object({ min: z.int32(), max: z.int32(), 'low-water': z.int32().optional() }), (self) => [
  rule(`${self.min} <= ${self.max}`, { message: 'min is above max', fieldPath: self.min }),
  rule(`!has(${self['low-water']}) || ${self['low-water']} >= ${self.min}`, { fieldPath: self['low-water'] }),
]);

test('a rule names the fields of its schema, escaped as CEL and the path need it', () => {
  const rules = range.meta()?.['x-kubernetes-validations'] ?? [];
  assert.deepEqual(
    rules.map(({ rule: text, fieldPath }) => [text, fieldPath]),
    [
      ['self.min <= self.max', '.min'],
      ['!has(self.low__dash__water) || self.low__dash__water >= self.min', "['low-water']"],
    ],
  );
  assert.deepEqual(refusals(range, { min: 1, max: 2 }), []);
  assert.deepEqual(refusals(range, { min: 3, max: 2 }), ['spec.field.min: min is above max']);
});

test('rules add to those that are there, and leave the description', () => {
  const schema = withRules(immutable(z.string().max(9).describe('A name.')), (self) => [rule(`${self} != 'x'`)]);
  assert.equal(schema.description, 'A name.');
  assert.deepEqual(refusals(schema, 'x', 'y'), [
    'spec.field: field is immutable',
    "spec.field: failed rule: self != 'x'",
  ]);
});

test('a rule names fields in fields, and those of all options of a union', () => {
  const schema = z.object({
    tls: z.object({ secret: z.string() }).optional(),
    source: z.discriminatedUnion('type', [
      z.object({ type: z.literal('A'), a: z.string() }),
      z.object({ type: z.literal('B'), b: z.string() }),
    ]),
  });
  withRules(schema, (self, oldSelf) => {
    assert.equal(
      `${self.tls.secret} ${self.source.b} ${oldSelf.source.type}`,
      'self.tls.secret self.source.b oldSelf.source.type',
    );
    return [];
  });
});

test('an immutable value is set once', () => {
  assert.deepEqual(refusals(immutable(z.string()), 'a'), []);
  assert.deepEqual(refusals(immutable(z.string()), 'a', 'a'), []);
  assert.deepEqual(refusals(immutable(z.string()), 'b', 'a'), ['spec.field: field is immutable']);
  assert.deepEqual(refusals(immutable(z.string()).optional(), undefined, 'a'), []);
});

const options = z.object({ a: z.string().optional(), b: z.string().optional(), c: z.string().optional() });
const counts = [
  [
    'exactly one',
    withRules(options, (self) => [exactlyOneOf(self.a, self.b, self.c)]),
    [false, true, false, false],
    'exactly one of a, b, c must be set',
  ],
  [
    'at most one',
    withRules(options, (self) => [atMostOneOf(self.a, self.b, self.c)]),
    [true, true, false, false],
    'at most one of a, b, c may be set',
  ],
  [
    'at least one',
    withRules(options, (self) => [atLeastOneOf(self.a, self.b, self.c)]),
    [false, true, true, true],
    'at least one of a, b, c must be set',
  ],
] as const;
for (const [what, schema, accepted, message] of counts) {
  test(`${what} of several fields is set`, () => {
    for (const [index, value] of [{}, { b: '' }, { a: '', c: '' }, { a: '', b: '', c: '' }].entries()) {
      assert.deepEqual(refusals(schema, value), accepted[index] ? [] : [`spec.field: ${message}`]);
    }
  });
}

/** Compiled, never called. */
function pins() {
  const schema = z.object({ min: z.int32(), list: z.array(z.object({ port: z.int32() })) });
  return [
    // @ts-expect-error a field that is not there
    withRules(schema, (self) => [rule(`${self.mini} > 0`)]),
    // @ts-expect-error a field of a number
    withRules(schema, (self) => [rule(`${self.min.toFixed}`)]),
    // @ts-expect-error a field of the items, which a list has not
    withRules(schema, (self) => [rule('true', { fieldPath: self.list.port })]),
    // @ts-expect-error one field alone has no other to exclude
    withRules(schema, (self) => [exactlyOneOf(self.min)]),
  ];
}
void pins;
