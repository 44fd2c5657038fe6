import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { matters } from './subscriptions.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', ...metadata },
});
const never = () => false;
const updated = (now: Partial<KubernetesObject['metadata']>, before: Partial<KubernetesObject['metadata']> = {}) =>
  ({ type: 'updated', object: object(now), previous: object(before) }) as const;

test('a predicate is asked about updates alone, with the states now and before', () => {
  assert.ok(matters({ type: 'added', object: object({}), initial: false }, never));
  assert.ok(matters({ type: 'deleted', object: object({}), missed: false }, never));
  assert.ok(!matters(updated({}), never));
  assert.ok(matters(updated({}), undefined));
  const asked: unknown[] = [];
  const event = updated({ generation: 2 }, { generation: 1 });
  matters(event, (now, before) => asked.push(now, before) > 0);
  assert.deepEqual(asked, [event.object, event.previous]);
});

test('the way to an end always matters: a deletion that begins, a finalizer that comes or goes', () => {
  assert.ok(matters(updated({ deletionTimestamp: 'now' }), never));
  assert.ok(matters(updated({ finalizers: ['a/b'] }), never));
  assert.ok(matters(updated({}, { finalizers: ['a/b'] }), never));
  assert.ok(!matters(updated({ finalizers: [] }), never), 'none is none');
  assert.ok(!matters(updated({ deletionTimestamp: 'now' }, { deletionTimestamp: 'now' }), never));
});
