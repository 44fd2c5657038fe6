import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAddress } from './pod-address.ts';

test('addresses are given out one after the other, begin again at the end, and are never used twice', () => {
  assert.equal(nextAddress(undefined, new Set()), '10.244.0.2');
  assert.equal(nextAddress('10.244.0.2', new Set()), '10.244.0.3');
  assert.equal(nextAddress('10.244.0.255', new Set()), '10.244.1.0');
  assert.equal(nextAddress('10.244.0.2', new Set(['10.244.0.3', '10.244.0.4'])), '10.244.0.5');
  assert.equal(nextAddress('10.244.255.254', new Set()), '10.244.0.2');
});
