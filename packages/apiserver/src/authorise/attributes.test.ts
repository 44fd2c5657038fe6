import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestInfo } from '../request/request-info.ts';
import { attributesOf, refusal } from './attributes.ts';

const cases: readonly (readonly [string, string, string])[] = [
  ['GET', '/api/v1/namespaces/a/pods/b', 'b'],
  ['GET', '/api/v1/namespaces/a/pods', ''],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db', 'b'],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3D%3Db', 'b'],
  ['GET', '/api/v1/namespaces/a/pods?watch=1&fieldSelector=x%3Dy,metadata.name%3Db', 'b'],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name!%3Db', ''],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=x.metadata.name%3Db', ''],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Da%2Fb', ''],
  ['GET', '/api/v1/namespaces/a/pods?fieldSelector=nonsense', ''],
  ['DELETE', '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db', ''],
];

for (const [method, url, expected] of cases) {
  test(`${method} ${url} is about ${expected === '' ? 'no object in particular' : expected}`, () => {
    const [path = '', search = ''] = url.split('?');
    const query = new URLSearchParams(search);
    const attributes = attributesOf(requestInfo(method, path, query), query);
    assert.equal(attributes.type === 'resource' && attributes.name, expected);
  });
}

test('a refusal names what is wanted, without markup, and what the rules say of it', () => {
  const user = { name: '<jane>', groups: [] };
  const wanted = { type: 'other', verb: 'get', path: '/a&b' } as const;
  assert.equal(
    refusal(user, wanted, 'RBAC: <role>').message,
    'forbidden: User "&lt;jane&gt;" cannot get path "/a&amp;b": RBAC: <role>',
  );
});
