import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differingPaths, managersOf, printPath } from './field-diff.ts';

const paths = (a: unknown, b: unknown) => differingPaths(a, b).map(printPath);

test('fields that differ are named as deep as both sides go', () => {
  assert.deepEqual(paths({ spec: { a: 1, b: { c: 2 } } }, { spec: { a: 1, b: { c: 3 } } }), ['spec.b.c']);
  assert.deepEqual(paths({ spec: {} }, { spec: { replicas: 1 } }), ['spec.replicas']);
  assert.deepEqual(paths({ spec: { a: 1 } }, { spec: { a: 1 } }), []);
});

test('items of a list are told apart by name, type or port; other lists are one field', () => {
  const containers = (image: string) => ({
    containers: [
      { name: 'side', image: 'x' },
      { name: 'web', image },
    ],
  });
  assert.deepEqual(paths(containers('web:1'), containers('web:2')), ['containers[web].image']);
  assert.deepEqual(paths({ ports: [{ port: 80 }] }, { ports: [{ port: 81 }] }), ['ports[80]', 'ports[81]']);
  assert.deepEqual(paths({ args: ['a'] }, { args: ['b'] }), ['args']);
  assert.deepEqual(paths({ args: ['a'] }, { args: { a: 1 } }), ['args']);
  assert.deepEqual(paths({ args: [null] }, { args: [null, null] }), ['args']);
  assert.deepEqual(paths({ a: [{ type: 'Ready', x: 1 }] }, { a: [{ type: 'Ready', x: 2 }] }), ['a[Ready].x']);
});

test('what is empty and what is absent do not differ: the server keeps neither', () => {
  assert.deepEqual(paths({ status: { a: 1 } }, { status: { a: 1, conditions: [], labels: {} } }), []);
});

test('the managers of a field are those whose entry holds it, the latest first', () => {
  const entry = (manager: string, time: string, fieldsV1: Record<string, unknown>) => ({
    manager,
    time,
    operation: 'Update',
    fieldsV1,
  });
  const object = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [
        entry('early', '2026-01-01T00:00:00Z', { 'f:spec': { 'f:replicas': {} } }),
        entry('late', '2026-01-01T00:00:01Z', { 'f:spec': { 'f:replicas': {} } }),
        entry('elsewhere', '2026-01-01T00:00:02Z', { 'f:spec': { 'f:paused': {} } }),
        entry('me', '2026-01-01T00:00:03Z', { 'f:spec': { 'f:replicas': {} } }),
      ],
    },
    spec: { replicas: 3, paused: true },
  };
  assert.deepEqual(managersOf(object, ['spec', 'replicas'], 'me'), ['late', 'early']);
  const of = (...managedFields: readonly object[]) =>
    managersOf({ ...object, metadata: { ...object.metadata, managedFields } } as never, ['spec', 'replicas'], 'me');
  const fields = { 'f:spec': { 'f:replicas': {} } };
  const { time: _, ...undated } = entry('undated', '', fields);
  const { manager: __, ...nameless } = entry('', '2026-01-01T00:00:09Z', fields);
  const dated = entry('dated', '2026-01-01T00:00:00Z', fields);
  assert.deepEqual(of(undated, nameless, dated), ['dated', 'undated'], 'what has no time is the oldest');
  assert.deepEqual(of(dated, undated), ['dated', 'undated']);
  assert.deepEqual(
    managersOf({ ...object, metadata: { ...object.metadata, managedFields: undefined } }, ['spec'], 'me'),
    [],
  );
  assert.deepEqual(managersOf(object, ['spec', 'replicas', 'deeper'], 'me'), []);
  assert.deepEqual(managersOf(object, ['spec', { name: 'x' }], 'me'), [], 'no list');
});
