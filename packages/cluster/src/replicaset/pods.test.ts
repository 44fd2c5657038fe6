import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, readySince } from '../../test/pods.ts';
import { isActive, isAvailable, isCountedChange, isTerminating, nextAvailabilityMs } from './pods.ts';

const now = Date.parse('2026-01-01T01:00:00Z');
const going = { deletionTimestamp: '2026-01-01T00:59:00Z' };

test('a pod counts until it is deleted or has ended, and terminates until it has ended', () => {
  const cases = [
    [pod('a'), true, false],
    [pod('a', { status: { phase: 'Pending' } }), true, false],
    [pod('a', { status: { phase: 'Succeeded' } }), false, false],
    [pod('a', { status: { phase: 'Failed' } }), false, false],
    [pod('a', { metadata: going }), false, true],
    [pod('a', { metadata: going, status: { phase: 'Failed' } }), false, false],
  ] as const;
  for (const [subject, active, terminating] of cases) {
    assert.equal(isActive(subject), active, JSON.stringify(subject));
    assert.equal(isTerminating(subject), terminating, JSON.stringify(subject));
  }
});

test('a pod is available once it has been ready for minReadySeconds', () => {
  const ready = pod('a', { status: readySince('2026-01-01T00:59:50Z') });
  assert.ok(isAvailable(ready, 0, now));
  assert.ok(isAvailable(ready, 10, now));
  assert.ok(!isAvailable(ready, 11, now));
  assert.ok(!isAvailable(pod('a'), 0, now));
  assert.ok(!isAvailable(pod('a', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }), 0, now));
});

test('a change of a pod counts when it changes what is counted', () => {
  const ready = readySince('2026-01-01T00:59:50Z');
  const cases = [
    [{}, { spec: { nodeName: 'other' } }, false],
    [{ status: { phase: 'Pending' } }, { status: { phase: 'Running', podIP: '10.0.0.1' } }, false],
    [{}, { status: ready }, true],
    [{ status: ready }, { status: readySince('2026-01-01T00:59:55Z') }, true],
    [{}, { status: { phase: 'Failed' } }, true],
    [{}, { metadata: going }, true],
    [{}, { metadata: { labels: { app: 'other' } } }, true],
    [
      {},
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }] } },
      true,
    ],
  ] as const;
  for (const [before, after, counts] of cases) {
    assert.equal(isCountedChange(pod('a', before), pod('a', after)), counts, JSON.stringify([before, after]));
  }
});

test('the next check is when the first ready pod becomes available', () => {
  const pods = ['2026-01-01T00:59:50Z', '2026-01-01T00:59:55Z'].map((since) => pod('a', { status: readySince(since) }));
  assert.equal(nextAvailabilityMs(pods, 30, now), 20_000);
  assert.equal(nextAvailabilityMs(pods, 5, now), undefined);
  assert.equal(nextAvailabilityMs([pod('b')], 30, now), undefined);
});
