import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byLabel, type KubernetesObject, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Namespace, Pod } from '@keelson/core/v1';
import { causeOf, controllerKey, mappedKeys, statesOf } from './mapping.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: 'then', ...metadata },
});
const owner = (apiVersion: string, kind: string) => ({ apiVersion, kind, name: 'web', uid: 'o', controller: true });

test('an owned object concerns the object that controls it, in any version of its kind', () => {
  const keys = (apiVersion: string, kind: string) =>
    controllerKey(Deployment, object({ ownerReferences: [owner(apiVersion, kind)] }));
  assert.deepEqual(keys('apps/v1', 'Deployment'), ['ns/web']);
  assert.deepEqual(keys('apps/v1beta1', 'Deployment'), ['ns/web']);
  assert.deepEqual(keys('other/v1', 'Deployment'), []);
  assert.deepEqual(keys('apps/v1', 'ReplicaSet'), []);
  assert.deepEqual(controllerKey(Deployment, object({})), []);
});

test('a cluster-scoped owner is named without a namespace', () => {
  const reference = owner('v1', 'Namespace');
  assert.deepEqual(controllerKey(Namespace, object({ ownerReferences: [reference] })), ['web']);
});

test('an owner that is not the controller is not concerned', () => {
  const { controller: _, ...reference } = owner('apps/v1', 'Deployment');
  assert.deepEqual(controllerKey(Deployment, object({ ownerReferences: [reference] })), []);
});

test('a watched object concerns whom its label names, or whom the function says', () => {
  const labelled = watch(Pod, { to: byLabel('instance') });
  assert.deepEqual(mappedKeys(Deployment, labelled, object({ labels: { instance: 'a' } })), ['ns/a']);
  assert.deepEqual(mappedKeys(Deployment, labelled, object({ labels: { instance: '' } })), []);
  assert.deepEqual(mappedKeys(Deployment, labelled, object({})), []);
  const computed = watch(Pod, { to: (pod) => [`x/${pod.metadata.name}`, 'x/y'] });
  assert.deepEqual(mappedKeys(Deployment, computed, object({})), ['x/p', 'x/y']);
});

test('an update speaks of both states, a resync of one', () => {
  const before = object({ labels: { instance: 'a' } });
  const after = object({ labels: { instance: 'b' } });
  assert.deepEqual(statesOf({ type: 'updated', object: after, previous: before }), [before, after]);
  assert.deepEqual(statesOf({ type: 'updated', object: after, previous: after }), [after]);
  assert.equal(causeOf({ type: 'deleted', object: after, missed: false }), 'Pod ns/p deleted');
});
