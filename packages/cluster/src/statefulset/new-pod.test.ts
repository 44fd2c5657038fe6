import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod } from '../../test/pods.ts';
import { revision, statefulSet } from '../../test/stateful-sets.ts';
import { newClaims, newPod, repaired, revisionFor } from './new-pod.ts';
import { isInRange, isMember, ordinalOf } from './ordinals.ts';

const revisions = { current: revision('web-old', 'web:1'), update: revision('web-new', 'web:2') };

test('a pod is made from its revision, with a name, a place and its claims', () => {
  const cache = { name: 'cache', emptyDir: {} };
  const set = statefulSet({ spec: { serviceName: 'peers' } });
  const { metadata, spec } = newPod(set, revisions.update, 4);
  assert.equal(metadata.name, 'web-4');
  assert.equal(metadata.generateName, 'web-');
  assert.deepEqual(metadata.labels, {
    app: 'web',
    'apps.kubernetes.io/pod-index': '4',
    'controller-revision-hash': 'web-new',
    'statefulset.kubernetes.io/pod-name': 'web-4',
  });
  assert.equal(metadata.ownerReferences?.[0]?.uid, 'set');
  assert.deepEqual([spec?.hostname, spec?.subdomain], ['web-4', 'peers']);
  assert.equal(spec?.containers[0]?.image, 'web:2');
  const claimed = { name: 'data', persistentVolumeClaim: { claimName: 'data-web-4' } };
  assert.deepEqual(spec?.volumes, [claimed]);
  const other = { ...revisions.update, data: { spec: { template: { spec: { volumes: [cache, { name: 'data' }] } } } } };
  assert.deepEqual(newPod(set, other, 4).spec?.volumes, [claimed, cache]);
});

test('below the partition pods come back as they were', () => {
  const named = (set: Parameters<typeof statefulSet>[0], ordinal: number) =>
    revisionFor(statefulSet(set), revisions, ordinal).metadata.name;
  const rolling = { type: 'RollingUpdate' as const };
  const parted = { spec: { updateStrategy: { ...rolling, rollingUpdate: { partition: 2 } }, ordinals: { start: 5 } } };
  assert.deepEqual(
    [6, 7].map((ordinal) => named(parted, ordinal)),
    ['web-old', 'web-new'],
  );
  const plain = { spec: { updateStrategy: rolling }, status: { replicas: 3, currentReplicas: 1 } };
  assert.deepEqual(
    [0, 1].map((ordinal) => named(plain, ordinal)),
    ['web-old', 'web-new'],
  );
  assert.equal(named({ spec: { updateStrategy: { type: 'OnDelete' } } }, 0), 'web-new');
});

test('claims bear the names of their template and pod, and the labels of the selector', () => {
  const [claim] = newClaims(statefulSet(), 1);
  assert.deepEqual(claim?.metadata, { name: 'data-web-1', namespace: 'default', labels: { app: 'web' } });
});

test('a pod without its labels or its claims is put right, and no other', () => {
  const made = newPod(statefulSet(), revisions.update, 0);
  const whole = pod('web-0', { metadata: made.metadata as never, spec: made.spec ?? {} });
  assert.equal(repaired(statefulSet(), whole), undefined);
  const bare = pod('web-0', { metadata: { labels: { app: 'web' } }, spec: made.spec ?? {} });
  assert.equal(repaired(statefulSet(), bare)?.metadata.labels?.['statefulset.kubernetes.io/pod-name'], 'web-0');
  const empty = pod('web-0', { metadata: made.metadata as never });
  assert.deepEqual(repaired(statefulSet(), empty)?.spec.volumes, made.spec?.volumes);
});

test('the ordinal is what the name ends in', () => {
  const cases = [
    ['web-0', 0, true, true],
    ['web-12', 12, true, false],
    ['web-a-1', 1, false, true],
    ['web', -1, false, false],
    ['web-99999999999', -1, true, false],
  ] as const;
  for (const [name, ordinal, member, inRange] of cases) {
    const subject = pod(name);
    assert.equal(ordinalOf(subject), ordinal, name);
    assert.equal(isMember(statefulSet(), subject), member, name);
    assert.equal(isInRange(statefulSet(), ordinal), inRange, name);
  }
});
