import assert from 'node:assert/strict';
import { test } from 'node:test';
import { templateHash } from './template-hash.ts';

const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }] },
});

test('the hash follows the content, not the order of members or what is absent', () => {
  const hash = templateHash(template('web:1'));
  const reordered = { spec: { containers: [{ image: 'web:1', name: 'web' }] }, metadata: { labels: { app: 'web' } } };
  assert.equal(templateHash(reordered), hash);
  assert.equal(templateHash({ ...reordered, metadata: { ...reordered.metadata, annotations: undefined } }), hash);
  assert.notEqual(templateHash(template('web:2')), hash);
});

test('the collision count changes the hash', () => {
  const hashes = [0, 1, 2].map((count) => templateHash(template('web:1'), count));
  assert.equal(new Set(hashes).size, 3);
  assert.equal(templateHash(template('web:1')), hashes[0]);
});

test('the hash is made of letters that may stand in names and labels', () => {
  for (let i = 0; i < 100; i++)
    assert.match(templateHash(template(`web:${i}`)), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
});
