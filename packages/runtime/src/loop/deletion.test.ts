import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type KubernetesObject } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { finalizerOf } from '../controller/finalizer-name.ts';
import { ensureFinalizer, type Finalized, removeFinalizer, stepFor } from './deletion.ts';

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

const ours = 'example.com/ours';
const failure = (code: number, reason: string) =>
  new ApiError('patch configmaps default/a', {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message: reason,
  } as never);

/** A server that answers patches so, one after the other, and has `found`; and a cache that has `cached`. */
function given(answers: readonly (Error | KubernetesObject)[], cached?: KubernetesObject, found?: KubernetesObject) {
  const patches: unknown[] = [];
  const client = {
    async patch(_kind: unknown, _key: string, patch: unknown) {
      const answer = answers[patches.length];
      patches.push(patch);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    find: async () => found,
  };
  const caches = { store: () => ({ get: () => cached }) };
  const finalized = { client, caches, kind: ConfigMap, finalizer: ours } as unknown as Finalized;
  return { finalized, patches };
}

test('a finalizer is put beside those of others, once, with the version that it is based on', async () => {
  const bare = object({ finalizers: ['example.com/other'] });
  const marked = object({ finalizers: ['example.com/other', ours] });
  const { finalized, patches } = given([marked]);
  assert.equal(await ensureFinalizer(bare, finalized), marked);
  assert.equal(await ensureFinalizer(marked, finalized), marked);
  assert.deepEqual(patches, [
    { metadata: { uid: 'u', resourceVersion: '1', finalizers: ['example.com/other', ours] } },
  ]);
});

test('a finalizer is taken away from the object as it is known, and those of others stay', async () => {
  const old = object({ finalizers: [ours] });
  const cached = object({ finalizers: ['example.com/other', ours] });
  const { finalized, patches } = given([cached], cached);
  await removeFinalizer(old, finalized);
  assert.deepEqual(patches, [{ metadata: { uid: 'u', resourceVersion: '1', finalizers: ['example.com/other'] } }]);
  const uncached = given([old]);
  await removeFinalizer(old, uncached.finalized);
  assert.deepEqual(uncached.patches, [{ metadata: { uid: 'u', resourceVersion: '1', finalizers: [] } }]);
});

test('a finalizer that is gone with its object, or on another of that name, is left alone', async () => {
  const old = object({ finalizers: [ours] });
  const gone = given([failure(404, 'NotFound')]);
  await removeFinalizer(old, gone.finalized);
  const other = { ...old, metadata: { ...old.metadata, uid: 'other' } };
  const replaced = given([], other);
  await removeFinalizer(old, replaced.finalized);
  const removed = given([], object({}));
  await removeFinalizer(old, removed.finalized);
  assert.deepEqual([gone.patches.length, replaced.patches.length, removed.patches.length], [1, 0, 0]);
});

test('when someone writes in between, the object is read again, five times at most', async () => {
  const old = object({ finalizers: [ours] });
  const newer = { ...old, metadata: { ...old.metadata, resourceVersion: '2' } };
  const conflict = failure(409, 'Conflict');
  const settled = given([conflict, newer], old, newer);
  await removeFinalizer(old, settled.finalized);
  assert.deepEqual(settled.patches, [
    { metadata: { uid: 'u', resourceVersion: '1', finalizers: [] } },
    { metadata: { uid: 'u', resourceVersion: '2', finalizers: [] } },
  ]);
  const restless = given(Array(9).fill(conflict), old, newer);
  await assert.rejects(removeFinalizer(old, restless.finalized), conflict);
  assert.equal(restless.patches.length, 5);
  const gone = given([conflict], old);
  await removeFinalizer(old, gone.finalized);
  assert.equal(gone.patches.length, 1);
  const refused = given([failure(403, 'Forbidden')], old);
  await assert.rejects(removeFinalizer(old, refused.finalized), /Forbidden/);
  assert.equal(refused.patches.length, 1);
});
