import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../../test/pods.ts';
import { staleInMs, withoutTarget } from './stale-target.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const target = (lastTransitionTime: string, more: object = {}) => ({
  type: 'DisruptionTarget',
  status: 'True',
  lastTransitionTime,
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
  ...more,
});
const ready = { type: 'Ready', status: 'True' };
const announced = (condition: object, changes: Parameters<typeof pod>[1] = {}) =>
  pod('a', { ...changes, status: { conditions: [ready, condition as typeof ready], ...changes.status } });

test('an announced eviction is stale after two minutes', () => {
  assert.equal(staleInMs(announced(target('2026-01-01T00:09:00Z')), now), 60_000);
  assert.equal(staleInMs(announced(target('2026-01-01T00:07:00Z')), now), 0);
});

test('one that happens, has happened, or is the kubelet’s own is never stale', () => {
  const old = '2026-01-01T00:00:00Z';
  assert.equal(staleInMs(pod('a'), now), undefined);
  assert.equal(staleInMs(announced(target(old), { metadata: { deletionTimestamp: old } }), now), undefined);
  assert.equal(staleInMs(announced(target(old), { status: { phase: 'Failed' } }), now), undefined);
  assert.equal(staleInMs(announced(target(old, { status: 'False' })), now), undefined);
  assert.equal(staleInMs(announced(target(old, { reason: 'TerminationByKubelet' })), now), undefined);
});

test('the condition is taken back in its place, without its reason', () => {
  assert.deepEqual(withoutTarget(announced(target('2026-01-01T00:00:00Z')), now).conditions, [
    ready,
    {
      type: 'DisruptionTarget',
      status: 'False',
      observedGeneration: 1,
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:10:00Z',
    },
  ]);
});
