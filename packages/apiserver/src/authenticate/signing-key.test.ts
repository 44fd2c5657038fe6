import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Random } from '@keelson/core';
import { createSigningKey, signature } from './signing-key.ts';

/** The key and the signatures of RFC 6979, appendix A.2.5. */
const secret = 0xc9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721n;
const published: readonly (readonly [string, string, string])[] = [
  [
    'sample',
    'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
    'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  ],
  [
    'test',
    'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
    '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
  ],
];

for (const [data, r, s] of published) {
  test(`the signature of ${data} is the published one`, () => {
    assert.equal(signature(secret, data).toString('hex'), r + s);
  });
}

const seeded = (seed: string): Random => ({ next: () => 0, uuid: () => seed });

test('a key follows from its randomness, and its signatures are valid for their data alone', () => {
  const key = createSigningKey(seeded('a'));
  assert.equal(createSigningKey(seeded('a')).id, key.id);
  assert.notEqual(createSigningKey(seeded('b')).id, key.id);
  for (let index = 0; index < 20; index += 1) {
    const signed = key.sign(`data ${index}`);
    assert.ok(key.isSigned(`data ${index}`, signed));
    assert.ok(!key.isSigned('other data', signed));
  }
  assert.ok(!key.isSigned('data', Buffer.alloc(0)));
  assert.ok(!key.isSigned('data', createSigningKey(seeded('b')).sign('data')));
});
