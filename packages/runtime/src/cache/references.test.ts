import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject, References } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Namespace, Node, Secret } from '@keelson/core/v1';
import { referenceIndex } from './references.ts';

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: 'then' };
const namespaced: KubernetesObject = { apiVersion: 'v1', kind: 'Thing', metadata: { ...metadata, namespace: 'ns' } };
const clusterScoped: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata };

const keys = (given: References) => referenceIndex(Deployment, { to: Secret, by: () => given })(namespaced);

test('a reference is a name in the namespace of the object, or a key; one, many or none', () => {
  assert.deepEqual(keys('one'), ['ns/one']);
  assert.deepEqual(keys('other/one'), ['other/one']);
  assert.deepEqual(keys(['one', undefined, 'other/two', '']), ['ns/one', 'other/two']);
  assert.deepEqual(keys(undefined), []);
  assert.deepEqual(keys(''), []);
});

test('what is cluster-scoped is referred to by its name, and must name the namespace of what is not', () => {
  assert.deepEqual(referenceIndex(Deployment, { to: Node, by: () => 'n' })(namespaced), ['n']);
  assert.throws(
    () => referenceIndex(Namespace, { to: Secret, by: () => 'one' })(clusterScoped),
    /Namespace a is cluster-scoped, so it refers to a Secret by "namespace\/name", not by "one"/,
  );
});
