import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JSONSchemaProps } from '@keelson/core/apiextensions/v1';
import { compileStructural } from '../rule-judge/compile-structural.ts';
import { problemsText } from '../wording/problem.ts';

const schema = compileStructural({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 5, default: 1 },
        names: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
      },
    },
  },
});

function widget(spec: unknown) {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec };
}

describe('sharing', () => {
  test('an object that needs no change is returned itself', () => {
    const object = widget({ size: 3, names: [{ name: 'a' }] });
    assert.equal(schema.prune(object).value, object);
    assert.equal(schema.default(object), object);
  });

  test('what lies beside a change is shared', () => {
    const object = widget({ size: 3, other: 1, names: [{ name: 'a' }, { name: 'b', other: 1 }] });
    const pruned = schema.prune(object).value as ReturnType<typeof widget> & { spec: { names: unknown[] } };
    assert.deepEqual(pruned.spec, { size: 3, names: [{ name: 'a' }, { name: 'b' }] });
    assert.equal(pruned.metadata, object.metadata);
    assert.equal(pruned.spec.names[0], (object.spec as { names: unknown[] }).names[0]);
  });
});

describe('problems as one text', () => {
  test('one stands alone', () => {
    assert.equal(
      problemsText(schema.validate(widget({ size: 6 }))),
      'spec.size: Invalid value: 6: spec.size in body should be less than or equal to 5',
    );
  });

  test('several stand in brackets, each once', () => {
    const problem = { reason: 'FieldValueRequired', field: 'spec.a', message: 'Required value' } as const;
    assert.equal(
      problemsText([problem, { ...problem, field: 'spec.b' }, problem]),
      '[spec.a: Required value, spec.b: Required value]',
    );
  });
});

test('whole numbers beyond those of JavaScript can be given as bigint', () => {
  const { validate } = compileStructural({
    type: 'object',
    properties: {
      n: { type: 'integer', maximum: 9007199254740991 },
      r: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self % 2 == 1' }] },
    },
  });
  assert.deepEqual(validate({ r: 9223372036854775807n }), []);
  assert.deepEqual(validate({ n: 9223372036854775807n }), [
    {
      reason: 'FieldValueInvalid',
      field: 'n',
      message: 'Invalid value: 9223372036854775807: n in body should be less than or equal to 9007199254740991',
      detail: 'n in body should be less than or equal to 9007199254740991',
    },
  ]);
});

test('a field __proto__ is a field', () => {
  const object = JSON.parse('{"spec":{"__proto__":{"x":1},"size":2}}');
  const { value, pruned } = schema.prune(object);
  assert.deepEqual(pruned, ['spec.__proto__']);
  assert.deepEqual(value, { spec: { size: 2 } });
  const open: JSONSchemaProps = {
    type: 'object',
    additionalProperties: { type: 'object', properties: { x: { type: 'integer', default: 7 } } },
  };
  const filled = compileStructural({ type: 'object', properties: { spec: open } }).default(
    JSON.parse('{"spec":{"__proto__":{}}}'),
  );
  assert.equal(JSON.stringify(filled), '{"spec":{"__proto__":{"x":7}}}');
});

test('rules together have a budget for one object', () => {
  const rule = 'self.all(x, self.all(y, x >= 0 && y >= 0))';
  const costly: JSONSchemaProps = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule }] };
  const names = Array.from({ length: 20 }, (_, i) => `f${i}`);
  const { validate } = compileStructural({
    type: 'object',
    properties: { spec: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, costly])) } },
  });
  const list = new Array(400).fill(1);
  const problems = validate({ spec: Object.fromEntries(names.map((name) => [name, list])) });
  assert.deepEqual(
    problems.map(({ message }) => message),
    [
      'Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ],
  );
});

// The server's answer to the first is in test/e2e/markers.test.ts, by its seed.
test('a number whose fraction is small beside it passes for an integer', () => {
  const amount: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
  const { validate } = compileStructural({ type: 'object', properties: { amount } });
  assert.deepEqual(validate({ amount: 41672620523486.39 }), []);
  assert.equal(validate({ amount: 1.5 }).length, 1);
});
