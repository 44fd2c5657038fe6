import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimedSpec, isHeldByOther, type LeaseSpec, releasedSpec } from './lease-spec.ts';

const isHeld = (spec: LeaseSpec, monotonicMs: number) =>
  isHeldByOther({ spec, seenAt: 1000 }, { identity: 'me', leaseDurationMs: 20_000, monotonicMs });

test('a lease is held until nothing was seen of its holder for as long as it says', () => {
  assert.equal(isHeld({ holderIdentity: 'other', leaseDurationSeconds: 15 }, 15_999), true);
  assert.equal(isHeld({ holderIdentity: 'other', leaseDurationSeconds: 15 }, 16_000), false);
  assert.equal(isHeld({ holderIdentity: 'other', leaseDurationSeconds: 60 }, 16_000), true);
});

test('a holder that does not say how long is waited for as long as we would be', () => {
  assert.equal(isHeld({ holderIdentity: 'other' }, 20_999), true);
  assert.equal(isHeld({ holderIdentity: 'other' }, 21_000), false);
});

test('a lease that is free, or ours, is not held by another', () => {
  assert.equal(isHeld({ leaseDurationSeconds: 15 }, 1000), false);
  assert.equal(isHeld({ holderIdentity: '', leaseDurationSeconds: 15 }, 1000), false);
  assert.equal(isHeld({ holderIdentity: 'me', leaseDurationSeconds: 15 }, 1000), false);
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
