import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pod, readySince } from '../../test/pods.ts';
import { statefulSet } from '../../test/stateful-sets.ts';
import { statusOf } from './status.ts';

const wallMs = Date.parse('2026-01-01T00:10:00Z');
const seen = { currentRevision: 'web-old', updateRevision: 'web-new', collisionCount: 0, wallMs };
const member = (ordinal: number, revision: string, metadata = {}) =>
  pod(`web-${ordinal}`, {
    metadata: { labels: { 'controller-revision-hash': revision }, ...metadata },
    status: readySince('2026-01-01T00:09:59Z'),
  });

test('the status counts pods by what they are and by their revision', () => {
  const pods = [
    member(0, 'web-old'),
    member(1, 'web-new'),
    member(2, 'web-old', { deletionTimestamp: '2026-01-01T00:09:59Z' }),
    pod('web-3', { status: { phase: 'Pending' } }),
  ];
  assert.deepEqual(statusOf(statefulSet({ spec: { minReadySeconds: 5 } }), { pods, ...seen }), {
    replicas: 4,
    observedGeneration: 1,
    readyReplicas: 3,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: 'web-old',
    updateRevision: 'web-new',
    collisionCount: 0,
    availableReplicas: 0,
  });
});

test('when all pods are updated and ready, the new revision is the current one', () => {
  const pods = [0, 1, 2].map((ordinal) => member(ordinal, 'web-new'));
  const { currentRevision, currentReplicas, updatedReplicas } = statusOf(statefulSet(), { pods, ...seen });
  assert.deepEqual([currentRevision, currentReplicas, updatedReplicas], ['web-new', 3, 3]);
  const onDelete = statefulSet({ spec: { updateStrategy: { type: 'OnDelete' } } });
  assert.equal(statusOf(onDelete, { pods, ...seen }).currentRevision, 'web-old');
});
