import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathSegmentProblems } from './name-rules.ts';
import { objectMetaProblems } from './object-meta-problems.ts';

const rules = { namespaced: false, nameProblems: pathSegmentProblems };
const told = (...args: Parameters<typeof objectMetaProblems>) =>
  objectMetaProblems(...args).map(({ reason, field, message }) => ({ reason, field, message }));

// The other rules are among the recorded answers of test/recorded and the cases of conformance; this one is too long.
test('annotations are limited together, as the real server says it', () => {
  const annotations = (count: number) => ({ name: 'a', annotations: { a: 'x'.repeat(count) } });
  assert.deepEqual(told(annotations(262143), rules), []);
  assert.deepEqual(told(annotations(262144), rules), [
    {
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: 'Too long: may not be more than 262144 bytes',
    },
  ]);
});

test('a name is needed, and a namespace where there is one', () => {
  assert.deepEqual(told({}, { ...rules, namespaced: true }), [
    {
      reason: 'FieldValueRequired',
      field: 'metadata.name',
      message: 'Required value: name or generateName is required',
    },
    { reason: 'FieldValueRequired', field: 'metadata.namespace', message: 'Required value' },
  ]);
  assert.deepEqual(told({ name: 'a', namespace: 'b' }, rules), [
    { reason: 'FieldValueForbidden', field: 'metadata.namespace', message: 'Forbidden: not allowed on this type' },
  ]);
});
