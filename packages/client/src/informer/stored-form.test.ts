import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { storedForm } from './stored-form.ts';

const entry = (manager: string, operation: string, subresource?: string) => ({
  manager,
  operation,
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  ...(subresource === undefined ? {} : { subresource }),
});

const object = (): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'x',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [
      entry('us', 'Apply'),
      entry('us', 'Apply', 'status'),
      entry('us', 'Update'),
      entry('them', 'Apply'),
    ],
  },
});

const plain = { transform: undefined, freeze: false };

test('managedFields are dropped without a trace', () => {
  const stored = storedForm({ ...plain, managedFields: 'drop' })(object());
  assert.deepEqual(Object.keys(stored.metadata), ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']);
});

test('managedFields are kept when asked for', () => {
  assert.deepEqual(storedForm({ ...plain, managedFields: 'keep' })(object()), object());
});

test("only one manager's applied entries are kept, of the object and its subresources, and equal sets once", () => {
  const form = storedForm({ ...plain, managedFields: { manager: 'us' } });
  const [first, second] = [form(object()), form(object())];
  assert.deepEqual(first.metadata.managedFields, [entry('us', 'Apply'), entry('us', 'Apply', 'status')]);
  assert.equal(first.metadata.managedFields?.[0]?.fieldsV1, second.metadata.managedFields?.[1]?.fieldsV1);
  const others = storedForm({ ...plain, managedFields: { manager: 'nobody' } })(object());
  assert.equal('managedFields' in others.metadata, false);
});

test('the transform sees the object without managedFields, and its result is stored', () => {
  const transform = (given: KubernetesObject) => {
    assert.equal(given.metadata.managedFields, undefined);
    return { ...given, kind: 'Changed' };
  };
  assert.equal(storedForm({ managedFields: 'drop', transform, freeze: false })(object()).kind, 'Changed');
});

test('an object that cannot be told from others has no stored form, before and after its transform', () => {
  const form = storedForm({ ...plain, managedFields: 'drop' });
  for (const metadata of [
    undefined,
    {},
    { name: 'a' },
    { name: '', resourceVersion: '1' },
    { name: 'a', resourceVersion: 1 },
  ]) {
    assert.throws(
      () => form({ ...object(), metadata } as unknown as KubernetesObject),
      /it has no name or resourceVersion/,
    );
  }
  const changes: ((given: KubernetesObject) => unknown)[] = [
    () => undefined,
    (given) => ({ ...given, metadata: undefined }),
    (given) => Object.assign(given.metadata, { resourceVersion: '2' }) && given,
    (given) => ({ ...given, metadata: { ...given.metadata, namespace: 'y' } }),
  ];
  for (const transform of changes) {
    const disfigure = storedForm({
      ...plain,
      managedFields: 'drop',
      transform: transform as (given: KubernetesObject) => KubernetesObject,
    });
    assert.throws(() => disfigure(object()), /its transform changed its name, namespace, uid or resourceVersion/);
  }
});

test('a frozen object refuses changes at every depth', () => {
  const stored = storedForm({ managedFields: 'keep', transform: undefined, freeze: true })(object());
  assert.throws(() => {
    (stored.metadata as { name: string }).name = 'b';
  }, TypeError);
  assert.throws(() => {
    (stored.metadata.managedFields as unknown[]).push(1);
  }, TypeError);
});
