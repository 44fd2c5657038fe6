/** Ten thousand random Memcacheds in both versions. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversions } from '@keelson/testing';
import { Memcached } from '../../src/api/memcached.ts';

test('ten thousand Memcacheds go through both versions, with edits in between: nothing is lost, nothing resurrected', async (t) => {
  const { edits, unseen } = await conversions.of(Memcached, { objects: 10_000, seed: 2 });
  t.diagnostic(`${edits} of them were edited`);
  assert.ok(edits > 5000, `${edits} edits`);
  assert.deepEqual(unseen, {
    v1alpha1: [],
    // What v1alpha1 has no word for.
    v1: [
      'spec.availability',
      'spec.rollout',
      'spec.updatePolicy',
      'status.change',
      'status.endpoints',
      'status.updatedReplicas',
      'status.version',
    ],
  });
});
