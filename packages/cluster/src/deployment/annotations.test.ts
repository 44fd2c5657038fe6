import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, replicaSet } from '../../test/deployments.ts';
import { desiredReplicasOf, newestAnnotations, nextRevision, revisionOf, sizeAnnotations } from './annotations.ts';

const numbered = (value: string) =>
  replicaSet('a', { metadata: { annotations: { 'deployment.kubernetes.io/revision': value } } });

test('a revision that cannot be read counts as none', () => {
  assert.equal(revisionOf(numbered('7')), 7n);
  assert.equal(revisionOf(numbered('seven')), 0n);
  assert.equal(revisionOf(numbered('9223372036854775808')), 0n);
  assert.equal(revisionOf(replicaSet('a')), 0n);
  assert.equal(nextRevision([numbered('2'), numbered('12'), numbered('x')]), 13n);
  assert.equal(nextRevision([]), 1n);
});

test('revisions have 64 bits', () => {
  assert.equal(nextRevision([numbered('3546343826724305832')]), 3546343826724305833n);
});

test('the newest ReplicaSet has its Deployment’s annotations, except those about revisions and kubectl’s own', () => {
  const annotations = {
    note: 'hello',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
    'deployment.kubernetes.io/revision': '41',
  };
  assert.deepEqual(newestAnnotations(deployment({ metadata: { annotations } }), {}, 1n), {
    note: 'hello',
    'deployment.kubernetes.io/revision': '1',
  });
});

test('a ReplicaSet that is rolled back to remembers its old revisions', () => {
  const once = newestAnnotations(deployment(), { 'deployment.kubernetes.io/revision': '1' }, 3n);
  assert.deepEqual(once, {
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
  assert.deepEqual(newestAnnotations(deployment(), once, 5n), {
    'deployment.kubernetes.io/revision': '5',
    'deployment.kubernetes.io/revision-history': '1,3',
  });
});

test('the revision never goes back, and one that is no number is left alone', () => {
  for (const value of ['5', 'five']) {
    const current = { 'deployment.kubernetes.io/revision': value };
    assert.deepEqual(newestAnnotations(deployment(), current, 4n), current);
  }
});

test('a long history loses its oldest revisions', () => {
  const history = Array.from({ length: 500 }, (_, i) => String(1000 + i)).join();
  const next = newestAnnotations(
    deployment(),
    { 'deployment.kubernetes.io/revision': '1500', 'deployment.kubernetes.io/revision-history': history },
    1501n,
  )['deployment.kubernetes.io/revision-history'];
  assert.ok(next && next.length <= 2000 && next.endsWith(',1499,1500'), next);
});

test('a scaled ReplicaSet notes the size of its Deployment, surge included', () => {
  const annotations = sizeAnnotations(deployment({ spec: { replicas: 10 } }));
  assert.deepEqual(annotations, {
    'deployment.kubernetes.io/desired-replicas': '10',
    'deployment.kubernetes.io/max-replicas': '13',
  });
  assert.equal(desiredReplicasOf(replicaSet('a', { metadata: { annotations } })), 10);
  assert.equal(desiredReplicasOf(replicaSet('a')), undefined);
});
