import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyOf, parseKey } from './key.ts';

test('a key names an object with and without a namespace, and reads back', () => {
  for (const metadata of [{ namespace: 'default', name: 'cache' }, { name: 'node-1' }]) {
    assert.deepEqual(parseKey(keyOf({ metadata })), metadata);
  }
  assert.equal(keyOf({ metadata: { namespace: 'default', name: 'cache' } }), 'default/cache');
});

test('what is not a key is refused with the text received', () => {
  for (const text of ['', '/', 'a/', '/b', 'a/b/c']) {
    assert.throws(() => parseKey(text), { name: 'TypeError', message: new RegExp(`^"${text}" is not a key`) });
  }
  assert.throws(() => keyOf({ metadata: { namespace: 'default' } }), /no metadata.name/);
});
