import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReview, placeOf } from './request-place.ts';

const cases: readonly (readonly [
  path: string,
  collection: string,
  name?: string,
  subresource?: string | undefined,
  object?: string,
])[] = [
  ['/api/v1/namespaces/x/pods', '/api/v1/namespaces/x/pods'],
  ['/api/v1/namespaces/x/pods/a?dryRun=All', '/api/v1/namespaces/x/pods', 'a'],
  ['/api/v1/namespaces/x/pods/a/status', '/api/v1/namespaces/x/pods', 'a', 'status'],
  ['/apis/apps/v1/namespaces/x/deployments/a/scale', '/apis/apps/v1/namespaces/x/deployments', 'a', 'scale'],
  ['/api/v1/namespaces', '/api/v1/namespaces'],
  ['/api/v1/namespaces/x', '/api/v1/namespaces', 'x'],
  ['/api/v1/namespaces/x/finalize', '/api/v1/namespaces', 'x', 'finalize'],
  ['/api/v1/namespaces/x/status', '/api/v1/namespaces', 'x', 'status'],
  ['/api/v1/nodes/n/proxy/a/b', '/api/v1/nodes', 'n', 'proxy/a/b'],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    'system:a',
    undefined,
    '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa',
  ],
];

for (const [path, collection, name, subresource, object] of cases) {
  test(`place: ${path}`, () => {
    const place = placeOf(path);
    assert.deepEqual(
      [place.collection, place.name, place.subresource, place.object],
      [collection, name, subresource, object ?? (name === undefined ? collection : `${collection}/${name}`)],
    );
  });
}

test('place: objects of a collection, also of all namespaces', () => {
  const at = (path: string) => placeOf(path).at({ name: 'a:b', namespace: 'x' });
  assert.equal(at('/api/v1/pods'), '/api/v1/namespaces/x/pods/a%3Ab');
  assert.equal(at('/api/v1/namespaces/x/pods'), '/api/v1/namespaces/x/pods/a%3Ab');
  assert.equal(placeOf('/api/v1/nodes').at({ name: 'n' }), '/api/v1/nodes/n');
  assert.equal(placeOf('/api/v1/nodes?labelSelector=a').query.get('labelSelector'), 'a');
});

test('place: groups and versions', () => {
  const kindAt = (path: string) => {
    const { group, version, resource } = placeOf(path);
    return [group, version, resource];
  };
  assert.deepEqual(kindAt('/api/v1/namespaces/x/pods/a'), ['', 'v1', 'pods']);
  assert.deepEqual(kindAt('/apis/apps/v1/namespaces/x/deployments/a/scale'), ['apps', 'v1', 'deployments']);
  assert.deepEqual(kindAt('/apis/a.example/v1beta1/things'), ['a.example', 'v1beta1', 'things']);
});

test('place: reviews are questions', () => {
  assert.ok(isReview('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'));
  assert.ok(isReview('/apis/authentication.k8s.io/v1/tokenreviews'));
  assert.ok(!isReview('/apis/rbac.authorization.k8s.io/v1/roles'));
  assert.ok(!isReview('/apis/apps/v1/deployments'));
});
