import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { Namespace, Pod } from '@keelson/core/v1';
import { collectionPath, objectPath } from './path.ts';
import { pageParameters, query, selectionParameters, watchParameters, writeParameters } from './query.ts';

test('paths are where the API server has them', () => {
  assert.equal(collectionPath(Pod, undefined), '/api/v1/pods');
  assert.equal(collectionPath(Pod, 'x'), '/api/v1/namespaces/x/pods');
  assert.equal(objectPath(Deployment, addressOf(Deployment, 'x/y')), '/apis/apps/v1/namespaces/x/deployments/y');
  assert.equal(objectPath(Pod, addressOf(Pod, 'x/y'), 'status'), '/api/v1/namespaces/x/pods/y/status');
  assert.equal(objectPath(Namespace, addressOf(Namespace, 'x')), '/api/v1/namespaces/x');
});

test('names are escaped, and cannot lead elsewhere', () => {
  assert.equal(
    objectPath(ClusterRole, addressOf(ClusterRole, 'system:node?x=1#y z')),
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%3Fx%3D1%23y%20z',
  );
  assert.throws(() => objectPath(Pod, addressOf(Pod, 'x/..')), /".." cannot be part of a request path/);
  assert.throws(() => collectionPath(Pod, '.'), TypeError);
  assert.throws(() => collectionPath(Pod, ''), TypeError);
});

test('a key that does not fit the scope names the kind', () => {
  assert.throws(() => addressOf(Pod, 'y'), new TypeError('Pod is namespaced, so its key is "namespace/name", not "y"'));
  assert.throws(
    () => addressOf(Namespace, 'x/y'),
    new TypeError('Namespace is cluster-scoped, so its key is "name", not "x/y"'),
  );
  assert.throws(() => collectionPath(Namespace, 'x'), /Namespace is cluster-scoped and has no namespace/);
});

test('parameters that are absent or empty are left out, the others are encoded', () => {
  assert.equal(query({}), '');
  assert.equal(query({ a: undefined, b: '', c: false, d: 0 }), '?c=false&d=0');
  assert.equal(query({ s: 'a b&c=d,e+f' }), '?s=a+b%26c%3Dd%2Ce%2Bf');
});

test('selections become the texts that kubectl would send', () => {
  assert.deepEqual(selectionParameters({ labels: { app: 'x', tier: 'y' }, fields: 'metadata.name=z' }), {
    labelSelector: 'app=x,tier=y',
    fieldSelector: 'metadata.name=z',
  });
  const labels = { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['x', 'y'] }] };
  assert.equal(selectionParameters({ labels }).labelSelector, 'app notin (x,y)');
  assert.equal(selectionParameters({}).labelSelector, undefined);
});

test('a first page may name a resourceVersion, a further one must not', () => {
  const options = { resourceVersion: '5', resourceVersionMatch: 'Exact' } as const;
  assert.equal(query(pageParameters(options, undefined)), '?limit=500&resourceVersion=5&resourceVersionMatch=Exact');
  assert.equal(query(pageParameters(options, 'abc')), '?limit=500&continue=abc');
});

test('a watch always asks for bookmarks, and for the list when told to', () => {
  assert.equal(
    query(watchParameters({ resourceVersion: '5' })),
    '?watch=true&allowWatchBookmarks=true&resourceVersion=5',
  );
  assert.equal(
    query(watchParameters({ sendInitialEvents: true, serverTimeoutSeconds: 300 })),
    '?watch=true&allowWatchBookmarks=true&timeoutSeconds=300&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
  );
});

test('a dry run is spelled as the server wants it', () => {
  assert.equal(
    query(writeParameters({ dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' })),
    '?dryRun=All&fieldManager=me&fieldValidation=Strict',
  );
  assert.equal(query(writeParameters({ dryRun: false })), '');
});
