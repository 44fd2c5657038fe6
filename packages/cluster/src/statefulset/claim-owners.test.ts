import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OwnerReference } from '@keelson/core';
import { claim } from '../../test/claims.ts';
import { statefulSet } from '../../test/stateful-sets.ts';
import { isContested, isStale, ownersDue } from './claim-owners.ts';

type Policy = 'Retain' | 'Delete';
const set = (whenScaled: Policy, whenDeleted: Policy) =>
  statefulSet({ spec: { replicas: 1, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } } });
const kept = { name: 'web-0', uid: 'pod-0', ordinal: 0 };
const condemned = { name: 'web-1', uid: 'pod-1', ordinal: 1 };
const owner = (kind: 'StatefulSet' | 'Pod', name: string, uid: string, controller = true): OwnerReference => ({
  apiVersion: kind === 'Pod' ? 'v1' : 'apps/v1',
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion: true,
});
const owned = (...ownerReferences: readonly OwnerReference[]) => claim('data-web-0', { metadata: { ownerReferences } });
const bySet = owner('StatefulSet', 'web', 'set');
const byPod = owner('Pod', 'web-1', 'pod-1');

test('the policy says who owns a claim, and when', () => {
  const cases = [
    [set('Retain', 'Retain'), kept, owned(), undefined],
    [set('Retain', 'Retain'), kept, owned(bySet), []],
    [set('Retain', 'Delete'), kept, owned(), [bySet]],
    [set('Retain', 'Delete'), condemned, owned(bySet), undefined],
    [set('Delete', 'Retain'), kept, owned(), undefined],
    [set('Delete', 'Retain'), condemned, owned(), [byPod]],
    [set('Delete', 'Delete'), kept, owned(), [bySet]],
    [set('Delete', 'Delete'), condemned, owned(bySet), [byPod]],
    [set('Delete', 'Delete'), condemned, owned(byPod), undefined],
    [set('Retain', 'Delete'), kept, owned(owner('StatefulSet', 'web', 'set', false)), [bySet]],
  ] as const;
  for (const [subject, pod, object, expected] of cases) {
    assert.deepEqual(ownersDue(subject, pod, object), expected, JSON.stringify([subject.spec, pod, object.metadata]));
  }
});

test('a claim that somebody else controls, or an earlier set owned, is left alone', () => {
  const other = owner('StatefulSet', 'other', 'x');
  assert.ok(isContested(set('Delete', 'Delete'), kept, owned(other)));
  assert.ok(!isContested(set('Retain', 'Retain'), kept, owned(other)));
  assert.equal(ownersDue(set('Delete', 'Delete'), kept, owned(other)), undefined);
  assert.deepEqual(ownersDue(set('Delete', 'Delete'), kept, owned(other, bySet)), [other]);
  assert.equal(ownersDue(set('Retain', 'Delete'), kept, owned(owner('StatefulSet', 'web', 'earlier'))), undefined);
});

test('a claim of an earlier pod holds the next one back, where claims go with pods', () => {
  const earlier = owned(owner('Pod', 'web-0', 'earlier'));
  const unborn = { ...kept, uid: undefined };
  assert.ok(isStale(set('Delete', 'Retain'), unborn, earlier));
  assert.ok(!isStale(set('Retain', 'Retain'), unborn, earlier));
  assert.ok(!isStale(set('Delete', 'Retain'), unborn, owned(bySet)));
});
