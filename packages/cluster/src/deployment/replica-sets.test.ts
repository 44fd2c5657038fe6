import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployment, oldReplicaSet, replicaSet } from '../../test/deployments.ts';
import { isSameTemplate, newReplicaSet, outdated, refreshed, sortOut } from './replica-sets.ts';
import { templateHash } from './template-hash.ts';

const at = (creationTimestamp: string) => ({ metadata: { creationTimestamp } });

test('the oldest ReplicaSet with the Deployment’s template is the new one, and all others are old, oldest first', () => {
  const [a, b, c, d] = [
    oldReplicaSet('a', at('2026-01-03T00:00:00Z')),
    replicaSet('b', at('2026-01-02T00:00:00Z')),
    replicaSet('c', at('2026-01-01T00:00:00Z')),
    oldReplicaSet('d', at('2026-01-01T00:00:00Z')),
  ];
  const { newest, old } = sortOut(deployment(), [a, b, c, d]);
  assert.equal(newest, c);
  assert.deepEqual(old, [d, b, a]);
});

test('templates are the same if they differ in nothing but the hash label', () => {
  const { template } = deployment().spec;
  assert.ok(isSameTemplate(replicaSet('a').spec.template, template));
  assert.ok(
    isSameTemplate({ ...template, metadata: { ...template.metadata, creationTimestamp: null as never } }, template),
  );
  assert.ok(!isSameTemplate(oldReplicaSet('a').spec.template, template));
});

test('a new ReplicaSet has the hash in its name, labels, selector and pods, and the next revision', () => {
  const old = oldReplicaSet('x', { metadata: { annotations: { 'deployment.kubernetes.io/revision': '4' } } });
  const subject = deployment({ metadata: { annotations: { note: 'hello' } } });
  const hash = templateHash(subject.spec.template);
  const labels = { app: 'web', 'pod-template-hash': hash };
  assert.deepEqual(newReplicaSet(subject, [old], 2), {
    metadata: {
      name: `web-${hash}`,
      namespace: 'default',
      labels,
      annotations: {
        note: 'hello',
        'deployment.kubernetes.io/revision': '5',
        'deployment.kubernetes.io/desired-replicas': '3',
        'deployment.kubernetes.io/max-replicas': '4',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          uid: 'deployment',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: subject.spec.template.spec },
    },
  });
});

test('a collision gives the new ReplicaSet another name, and a long name is cut', () => {
  const [first, second] = [undefined, 1].map(
    (collisionCount) => newReplicaSet(deployment({ status: { collisionCount } }), [], 1).metadata.name,
  );
  assert.notEqual(first, second);
  const long = newReplicaSet(deployment({ metadata: { name: 'w'.repeat(253) } }), [], 1).metadata.name;
  assert.equal(long.length, 253);
});

test('the newest ReplicaSet is refreshed only when its annotations or minReadySeconds differ', () => {
  const annotations = { 'deployment.kubernetes.io/revision': '1' };
  const newest = replicaSet('a', { metadata: { annotations } });
  assert.equal(refreshed(deployment(), { newest, old: [] }), undefined);
  assert.equal(refreshed(deployment({ spec: { minReadySeconds: 5 } }), { newest, old: [] })?.spec.minReadySeconds, 5);
  const old = oldReplicaSet('b', { metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } });
  assert.deepEqual(refreshed(deployment(), { newest, old: [old] })?.metadata.annotations, {
    'deployment.kubernetes.io/revision': '3',
    'deployment.kubernetes.io/revision-history': '1',
  });
});

test('idle ReplicaSets beyond the history limit are outdated, the lowest revisions first', () => {
  const revision = (hash: string, value: number, changes = {}) =>
    oldReplicaSet(hash, {
      metadata: { annotations: { 'deployment.kubernetes.io/revision': String(value) } },
      spec: { replicas: 0 },
      status: { replicas: 0, observedGeneration: 1 },
      ...changes,
    });
  const old = [revision('a', 3), revision('b', 1), revision('c', 2)];
  const names = (limit: number | undefined, list = old) =>
    outdated(deployment({ spec: { revisionHistoryLimit: limit } }), list).map(({ metadata }) => metadata.uid);
  assert.deepEqual(names(1), ['b', 'c']);
  assert.deepEqual(names(0), ['b', 'c', 'a']);
  assert.deepEqual(names(3), []);
  assert.deepEqual(names(2 ** 31 - 1), []);
  assert.deepEqual(names(undefined), []);
  const busy = [
    revision('p', 1, { status: { replicas: 1, observedGeneration: 1 } }),
    revision('q', 2, { spec: { replicas: 1 } }),
    revision('r', 3, { status: { replicas: 0, observedGeneration: 0 } }),
  ];
  assert.deepEqual(names(0, busy), []);
});
