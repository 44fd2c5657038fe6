import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimedSpec, isHeldByOther, releasedSpec } from './lease-spec.ts';

const seen = (holderIdentity: string | undefined, leaseDurationSeconds = 15) => ({
  spec: { holderIdentity, leaseDurationSeconds },
  seenAt: 1000,
});

test('a lease is held until nothing was seen of its holder for as long as it says', () => {
  assert.equal(isHeldByOther(seen('other'), 'me', 15_999), true);
  assert.equal(isHeldByOther(seen('other'), 'me', 16_000), false);
  assert.equal(isHeldByOther(seen('other', 60), 'me', 16_000), true);
});

test('a lease that is free, or ours, is not held by another', () => {
  assert.equal(isHeldByOther(seen(undefined), 'me', 1000), false);
  assert.equal(isHeldByOther(seen(''), 'me', 1000), false);
  assert.equal(isHeldByOther(seen('me'), 'me', 1000), false);
});

const wallMs = Date.parse('2026-01-01T00:00:01.5Z');
const claim = { identity: 'me', leaseDurationMs: 14_500, wallMs };
const now = '2026-01-01T00:00:01.500000Z';

test('a claim counts transitions, and never promises others less than our own term', () => {
  const first = {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  };
  assert.deepEqual(claimedSpec(undefined, claim), first);
  assert.deepEqual(claimedSpec({ holderIdentity: 'other', leaseTransitions: 4, acquireTime: 'before' }, claim), {
    ...first,
    leaseTransitions: 5,
  });
  assert.deepEqual(claimedSpec({ leaseTransitions: 4 }, claim), { ...first, leaseTransitions: 5 });
});

test('a renewal keeps when the term began', () => {
  const renewed = claimedSpec({ holderIdentity: 'me', leaseTransitions: 4, acquireTime: 'before' }, claim);
  assert.deepEqual([renewed.acquireTime, renewed.renewTime, renewed.leaseTransitions], ['before', now, 4]);
});

test('a release names nobody, and lets nobody wait', () => {
  assert.deepEqual(releasedSpec({ holderIdentity: 'me', leaseTransitions: 4 }, wallMs), {
    leaseDurationSeconds: 1,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 4,
  });
});
