import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathSegment, pathSegmentPrefix } from './name-rules.ts';
import { objectMetaCauses } from './object-meta-causes.ts';

const rules = { isNamespaced: false, name: pathSegment, namePrefix: pathSegmentPrefix };

// The other rules are among the recorded answers of test/recorded; this one is too long for them.
test('annotations are limited together, as the real server says it', () => {
  const annotations = (count: number) => ({ name: 'a', annotations: { a: 'x'.repeat(count) } });
  assert.deepEqual(objectMetaCauses(annotations(262143), 'metadata', rules), []);
  assert.deepEqual(objectMetaCauses(annotations(262144), 'metadata', rules), [
    {
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: 'Too long: may not be more than 262144 bytes',
    },
  ]);
});

test('a name is needed, and a namespace where there is one', () => {
  assert.deepEqual(objectMetaCauses({}, 'metadata', { ...rules, isNamespaced: true }), [
    {
      reason: 'FieldValueRequired',
      field: 'metadata.name',
      message: 'Required value: name or generateName is required',
    },
    { reason: 'FieldValueRequired', field: 'metadata.namespace', message: 'Required value' },
  ]);
  assert.deepEqual(objectMetaCauses({ name: 'a', namespace: 'b' }, 'metadata', rules), [
    { reason: 'FieldValueForbidden', field: 'metadata.namespace', message: 'Forbidden: not allowed on this type' },
  ]);
});
