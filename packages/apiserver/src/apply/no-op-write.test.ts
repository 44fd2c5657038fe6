import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../object.ts';
import { withoutNoOpTimestamps } from './no-op-write.ts';

const entry = (manager: string, time: string, fieldsV1: object = { 'f:spec': {} }) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time,
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const object = (spec: object, ...managedFields: readonly object[]): JsonObject => ({
  metadata: { name: 'x', managedFields },
  spec,
});
const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];

test('new times alone do not make a new object', () => {
  const before = object({ a: 1 }, entry('one', early), entry('two', early));
  const after = object({ a: 1 }, entry('one', early), entry('two', late));
  assert.deepEqual(withoutNoOpTimestamps(before, after), before);
});

test('new times stay where anything else is new', () => {
  const before = object({ a: 1 }, entry('one', early));
  const changes = [
    object({ a: 2 }, entry('one', late)),
    object({ a: 1 }, entry('two', late)),
    object({ a: 1 }, entry('one', late, { 'f:data': {} })),
    object({ a: 1 }, entry('one', late), entry('two', late)),
    object({ a: 1 }),
  ];
  for (const after of changes) assert.equal(withoutNoOpTimestamps(before, after), after);
});
