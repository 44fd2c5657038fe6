import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { claimOf, selectorOf } from './claim.ts';

const object = (metadata: Partial<KubernetesObject['metadata']>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', namespace: 'default', uid: 'x', resourceVersion: '1', creationTimestamp: '', ...metadata },
});
const controlledBy = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'o', uid, controller: true }],
});
const owner = object({ uid: 'us' });
const goingOwner = object({ uid: 'us', deletionTimestamp: '2026-01-01T00:00:00Z' });
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const labels = { app: 'web' };
const selector = selectorOf({ matchLabels: labels }) ?? [];

test('who controls an object and whether the selector matches decide about a claim', () => {
  const cases = [
    [owner, object({ labels, ...controlledBy('us') }), 'keep'],
    [owner, object({ labels, ...controlledBy('us'), ...going }), 'keep'],
    [owner, object({ labels: { app: 'other' }, ...controlledBy('us') }), 'release'],
    [owner, object({ labels, ...controlledBy('them') }), 'ignore'],
    [owner, object({ labels }), 'adopt'],
    [owner, object({ labels: {} }), 'ignore'],
    [owner, object({}), 'ignore'],
    [owner, object({ labels, ...going }), 'ignore'],
    [owner, object({ labels, namespace: 'elsewhere' }), 'ignore'],
    [goingOwner, object({ labels }), 'ignore'],
    [goingOwner, object({ labels, ...controlledBy('us') }), 'keep'],
    [goingOwner, object({ labels: { app: 'other' }, ...controlledBy('us') }), 'ignore'],
  ] as const;
  for (const [by, of, claim] of cases) {
    assert.equal(claimOf(by, selector, of), claim, JSON.stringify([by.metadata, of.metadata]));
  }
});

test('an owner that is not the controller does not count', () => {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'them' }];
  assert.equal(claimOf(owner, selector, object({ labels, ownerReferences })), 'adopt');
});

test('an empty selector is no selector', () => {
  assert.equal(selectorOf({}), undefined);
  assert.equal(selectorOf({ matchLabels: {}, matchExpressions: [] }), undefined);
});
