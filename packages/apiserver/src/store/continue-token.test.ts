import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeToken, encodeToken, tokenAfter } from './continue-token.ts';

test('a token continues after the last key, in the same state', () => {
  assert.deepEqual(decodeToken(tokenAfter(7, 'a/b')), { revision: 7, start: 'a/b\0' });
  assert.deepEqual(decodeToken(encodeToken({ revision: undefined, start: 'x' })), { revision: undefined, start: 'x' });
});

const text = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const wrong: readonly (readonly [string, RegExp])[] = [
  ['a?b', /illegal base64 data at input byte 1$/],
  [Buffer.from('nonsense').toString('base64url'), /continue key is not valid/],
  [text({ v: 'v9', rv: 1, start: 'a' }), /server does not recognize this encoded version v9$/],
  [text({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }), /incorrect encoded start resourceVersion/],
  [text({ v: 'meta.k8s.io/v1', rv: 1, start: '' }), /encoded start key empty/],
  [text({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets/a' }), /continue key is not valid: \.\.\/secrets\/a$/],
];

for (const [token, message] of wrong) {
  test(`the token ${token} is refused`, () => {
    assert.throws(() => decodeToken(token), { name: 'StatusError', message });
  });
}
