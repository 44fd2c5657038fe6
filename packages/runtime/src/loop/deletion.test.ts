import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigMap } from '@keelson/core/v1';
import { finalizerOf } from '../controller/finalizer-name.ts';
import { stepFor } from './deletion.ts';

const object = (metadata: { readonly deletionTimestamp?: string; readonly finalizers?: readonly string[] }) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...metadata,
  },
});

test('what an object needs follows from its deletion and its finalizers', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const ours = 'example.com/ours';
  const cases = [
    [undefined, ours, 'nothing'],
    [object({}), ours, 'reconcile'],
    [object({ finalizers: [ours] }), ours, 'reconcile'],
    [object({}), undefined, 'reconcile'],
    [object({ deletionTimestamp, finalizers: ['example.com/other', ours] }), ours, 'finalize'],
    [object({ deletionTimestamp, finalizers: ['example.com/other'] }), ours, 'nothing'],
    [object({ deletionTimestamp, finalizers: [ours] }), undefined, 'nothing'],
  ] as const;
  for (const [given, finalizer, step] of cases) assert.equal(stepFor(given, finalizer), step);
});

test('a finalizer is named after group and controller; where the group is no domain, the author names it', () => {
  const kind = { ...ConfigMap, group: 'cache.example.com' };
  assert.equal(finalizerOf('memcached', kind, undefined), 'cache.example.com/memcached');
  assert.equal(finalizerOf('memcached', kind, 'example.com/own'), 'example.com/own');
  assert.throws(
    () => finalizerOf('configmap', ConfigMap, undefined),
    /controller configmap: finalizer "\/configmap": .*give the controller a finalizer/,
  );
  assert.throws(
    () => finalizerOf('memcached', kind, 'own'),
    /controller memcached: finalizer "own": it must begin with a domain/,
  );
});
