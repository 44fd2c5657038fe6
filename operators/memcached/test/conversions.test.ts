/** Random Memcacheds in both versions; test/long tries ten thousand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversions } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';

test('a hundred Memcacheds go through both versions, with edits in between: nothing is lost, nothing resurrected', async () => {
  const { edits, unseen } = await conversions.of(Memcached, { objects: 100 });
  assert.ok(edits > 50, `${edits} edits`);
  assert.deepEqual(unseen.v1alpha1, []);
});
