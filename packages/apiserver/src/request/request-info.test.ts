import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestInfo } from './request-info.ts';

const cases: readonly (readonly [string, string, object])[] = [
  ['GET', '/api/v1/pods', { verb: 'list', group: '', version: 'v1', resource: 'pods', namespace: '', name: '' }],
  ['GET', '/api/v1/pods?watch=true', { verb: 'watch', resource: 'pods' }],
  ['GET', '/api/v1/pods?watch=0', { verb: 'list' }],
  ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', namespace: 'a', name: 'b', subresource: '' }],
  ['PUT', '/api/v1/namespaces/a/pods/b/status', { verb: 'update', name: 'b', subresource: 'status' }],
  ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }],
  [
    'PUT',
    '/api/v1/namespaces/a/finalize',
    { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
  ],
  [
    'DELETE',
    '/apis/apps/v1/namespaces/a/deployments',
    { verb: 'deletecollection', group: 'apps', resource: 'deployments' },
  ],
  ['POST', '/apis/apps/v1/namespaces/a/deployments', { verb: 'create' }],
  [
    'GET',
    '/api/v1/watch/namespaces/a/pods/b',
    { verb: 'watch', namespace: 'a', resource: 'pods', name: 'b', watchPath: true },
  ],
  ['GET', '/api/v1/namespaces/a/pods/b/proxy/x/y', { subresource: 'proxy', rest: ['x', 'y'] }],
  ['GET', '/api/v1/nodes/a%3Ab', { name: 'a:b' }],
  ['GET', '/api/v1/namespaces/a%2Fpods', { resource: 'pods', namespace: 'a', throughNamespace: true }],
  ['GET', '/api/v1/namespaces/a%2F..%2Fb/pods', { namespace: 'a', resource: '..', name: 'b', subresource: 'pods' }],
  ['GET', '/api/v1/namespaces/a/namespaces/a', { resource: 'namespaces', name: 'a', throughNamespace: true }],
  ['GET', '/api/v1/namespaces/a', { resource: 'namespaces', name: 'a', throughNamespace: false }],
  ['GET', '/api/v1/namespaces//pods', { verb: 'list', resource: 'pods', namespace: '' }],
  ['GET', '/api/v1//namespaces', { verb: 'get', resource: '', name: 'namespaces' }],
  ['GET', '/api/v1/pods/', { verb: 'list', resource: 'pods', name: '' }],
  ['GET', '/api/v1/nodes/%ff', { name: '%ff' }],
  ['GET', '/apis/apps/v1', { type: 'other', verb: 'get' }],
  ['GET', '/api', { type: 'other' }],
  ['GET', '/healthz', { type: 'other', path: '/healthz' }],
];

for (const [method, url, expected] of cases) {
  test(`${method} ${url} asks for ${JSON.stringify(expected)}`, () => {
    const [path = '', query = ''] = url.split('?');
    const info = requestInfo(method, path, new URLSearchParams(query));
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((key) => [key, info[key as keyof typeof info]])),
      expected,
    );
  });
}
