/** What holds for every schema that a CRD can have, and every value. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import * as fc from 'fast-check';
import { compileStructural } from '../rule-judge/compile-structural.ts';
import { structuralProblems } from '../rule-judge/structural-problems.ts';

const name = fc.constantFrom('a', 'b', 'c', 'metadata', '__proto__');

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1, 1.5, '', 'x', 'long'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
})).value;

/** Schemas in which what a value is does not depend on how many fields it has. */
const { schema: anySchema } = fc.letrec<{ schema: JSONSchemaProps }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.record<JSONSchemaProps>(
      { type: fc.constant('string'), maxLength: fc.nat(3), nullable: fc.boolean(), default: fc.constantFrom('x', 'y') },
      { requiredKeys: ['type'] },
    ),
    fc.record<JSONSchemaProps>(
      { type: fc.constant('integer'), maximum: fc.constant(1), default: fc.constantFrom(0, 1) },
      { requiredKeys: ['type'] },
    ),
    fc.constantFrom<JSONSchemaProps>(
      { 'x-kubernetes-preserve-unknown-fields': true },
      { 'x-kubernetes-int-or-string': true },
      { type: 'object', additionalProperties: true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: { a: 1 } },
    ),
    fc.record<JSONSchemaProps>({ type: fc.constant('array'), items: tie('schema') }),
    fc.record<JSONSchemaProps>({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    fc.record<JSONSchemaProps>(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
        required: fc.constant(['a']),
        default: fc.constant({}),
        'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
  ),
}));

const object = fc.record({ spec: json }, { requiredKeys: [] });

function forEach(check: (schema: ReturnType<typeof compileStructural>, value: unknown) => void): void {
  fc.assert(
    fc.property(anySchema, object, (spec, value) => {
      const schema: JSONSchemaProps = { type: 'object', properties: { spec } };
      fc.pre(structuralProblems(schema, 'schema').length === 0);
      check(compileStructural(schema), freeze(value));
    }),
    { numRuns: 1000, seed: 5 },
  );
}

/** Changing an input throws. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

test('pruning twice changes nothing more, and finds nothing more', () => {
  forEach((schema, value) => {
    const once = schema.prune(value);
    const twice = schema.prune(once.value);
    assert.equal(twice.value, once.value);
    assert.deepEqual(twice.pruned, []);
  });
});

test('defaulting twice changes nothing more', () => {
  forEach((schema, value) => {
    const once = schema.default(value);
    assert.equal(schema.default(once), once);
  });
});

test('a valid value stays valid when it is pruned and defaulted', () => {
  forEach((schema, value) => {
    const { value: pruned, malformed } = schema.prune(value);
    if (malformed !== undefined || schema.validate(pruned).length > 0) return;
    assert.deepEqual(schema.validate(schema.default(pruned)), []);
  });
});

test('an update that changes nothing is refused only for what comparing cannot see', () => {
  forEach((schema, value) => {
    const { value: pruned } = schema.prune(value);
    const created = schema.validate(pruned);
    const updated = schema.validate(pruned, pruned);
    assert.ok(updated.length <= created.length);
  });
});
