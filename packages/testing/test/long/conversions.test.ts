import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversions } from '@keelson/testing';
import { Cache } from '../cache.ts';

test('ten thousand random objects go through two versions, with edits in between: nothing is lost, nothing resurrected', async (t) => {
  const { edits, unseen } = await conversions.of(Cache, { objects: 10_000, seed: 2 });
  t.diagnostic(`${edits} of them were edited`);
  assert.ok(edits > 5000, `${edits} edits`);
  assert.deepEqual(unseen, {
    v1alpha1: ['spec.legacy'],
    v1: ['spec.extra', 'spec.rollout', 'spec.workload', 'status.phase'],
  });
});
