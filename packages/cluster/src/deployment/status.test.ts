import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeploymentStatus } from '@keelson/core/apps/v1';
import { deployment, oldReplicaSet, replicaSet } from '../../test/deployments.ts';
import { nextCheckMs, pauseCondition, rolloutStatus, statusOf } from './status.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const stamp = '2026-01-01T00:10:00Z';
const earlier = '2026-01-01T00:09:00Z';
const progressing = (reason: string, status = 'True', lastUpdateTime = earlier) => ({
  type: 'Progressing',
  status,
  reason,
  message: 'm',
  lastUpdateTime,
  lastTransitionTime: earlier,
});
const progress = (status: DeploymentStatus) => status.conditions?.find(({ type }) => type === 'Progressing');

test('counts are summed over all ReplicaSets, and zeros are left out', () => {
  const newest = replicaSet('n', {
    spec: { replicas: 2 },
    status: { replicas: 2, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 0, observedGeneration: 1 },
  });
  const old = oldReplicaSet('a', {
    spec: { replicas: 1 },
    status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, terminatingReplicas: 2, observedGeneration: 1 },
  });
  const { conditions, ...counts } = statusOf(deployment({ metadata: { generation: 4 } }), { newest, old: [old] }, now);
  assert.deepEqual(counts, {
    observedGeneration: 4,
    replicas: 3,
    updatedReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    unavailableReplicas: 1,
    terminatingReplicas: 2,
  });
  assert.deepEqual(conditions, [
    {
      type: 'Available',
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
      message: 'Deployment does not have minimum availability.',
      lastUpdateTime: stamp,
      lastTransitionTime: stamp,
    },
  ]);
});

test('terminating replicas are unknown while a ReplicaSet does not count them', () => {
  const uncounted = replicaSet('n', { status: { replicas: 1, observedGeneration: 1 } });
  assert.equal(statusOf(deployment(), { newest: uncounted, old: [] }, now).terminatingReplicas, undefined);
  assert.equal(statusOf(deployment(), { newest: replicaSet('n'), old: [] }, now).terminatingReplicas, 0);
});

test('the Available condition keeps its times while its status stays', () => {
  const available = {
    type: 'Available',
    status: 'False',
    reason: 'MinimumReplicasUnavailable',
    lastTransitionTime: earlier,
  };
  const subject = deployment({ status: { conditions: [available] } });
  assert.deepEqual(statusOf(subject, { newest: undefined, old: [] }, now).conditions, [available]);
});

const full = { replicas: 3, readyReplicas: 3, availableReplicas: 3, observedGeneration: 1, terminatingReplicas: 0 };

test('a rollout is complete, under way, stuck, or as it was', () => {
  const cases = [
    // status before, newest's status, old replicas, expected reason and times
    ['complete', progressing('ReplicaSetUpdated'), {}, full, 0, 'NewReplicaSetAvailable', stamp],
    [
      'more ready',
      progressing('ReplicaSetUpdated'),
      {},
      { ...full, availableReplicas: 2 },
      0,
      'ReplicaSetUpdated',
      stamp,
    ],
    [
      'fewer old',
      progressing('NewReplicaSetCreated'),
      { replicas: 5 },
      { ...full, replicas: 0, readyReplicas: 0, availableReplicas: 0 },
      3,
      'ReplicaSetUpdated',
      stamp,
    ],
    [
      'nothing new',
      progressing('NewReplicaSetCreated'),
      { ...full, updatedReplicas: 3 },
      { ...full, availableReplicas: 2 },
      0,
      'NewReplicaSetCreated',
      earlier,
    ],
    [
      'too long',
      progressing('ReplicaSetUpdated', 'True', '2025-12-31T23:59:59Z'),
      { ...full, updatedReplicas: 3 },
      { ...full, availableReplicas: 2 },
      0,
      'ProgressDeadlineExceeded',
      stamp,
    ],
    [
      'late, but done before',
      progressing('NewReplicaSetAvailable', 'True', '2025-12-31T00:00:00Z'),
      { ...full, updatedReplicas: 3 },
      { ...full, availableReplicas: 2 },
      0,
      'NewReplicaSetAvailable',
      '2025-12-31T00:00:00Z',
    ],
    [
      'was stuck, then progress',
      progressing('ProgressDeadlineExceeded', 'False'),
      {},
      { ...full, availableReplicas: 2 },
      0,
      'ReplicaSetUpdated',
      stamp,
    ],
  ] as const;
  for (const [name, condition, before, newestStatus, oldReplicas, reason, updated] of cases) {
    const subject = deployment({ status: { ...before, conditions: [condition] } });
    const old =
      oldReplicas > 0
        ? [oldReplicaSet('a', { status: { ...full, replicas: oldReplicas, readyReplicas: 0, availableReplicas: 0 } })]
        : [];
    const found = progress(rolloutStatus(subject, { newest: replicaSet('n', { status: newestStatus }), old }, now));
    assert.equal(found?.reason, reason, name);
    assert.equal(found?.lastUpdateTime, updated, name);
  }
});

test('the words and times of progress are Kubernetes’ own', () => {
  const subject = deployment({ status: { conditions: [progressing('NewReplicaSetCreated')] } });
  assert.deepEqual(progress(rolloutStatus(subject, { newest: replicaSet('n', { status: full }), old: [] }, now)), {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    message: 'ReplicaSet "web-n" has successfully progressed.',
    lastUpdateTime: stamp,
    lastTransitionTime: earlier,
  });
});

test('without a deadline there is no progress condition', () => {
  const subject = deployment({
    spec: { progressDeadlineSeconds: 2 ** 31 - 1 },
    status: { conditions: [progressing('ReplicaSetUpdated')] },
  });
  assert.equal(progress(rolloutStatus(subject, { newest: replicaSet('n'), old: [] }, now)), undefined);
});

test('a failure of a ReplicaSet is the Deployment’s failure until it ends', () => {
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: 'FailedCreate',
    message: 'quota',
    lastTransitionTime: earlier,
  };
  const failing = { newest: replicaSet('n', { status: { replicas: 0, conditions: [failure] } }), old: [] };
  const reported = rolloutStatus(deployment(), failing, now).conditions?.at(-1);
  assert.deepEqual(reported, { ...failure, lastUpdateTime: earlier });
  const subject = deployment({ status: { conditions: [{ ...failure, lastUpdateTime: earlier }] } });
  assert.ok(rolloutStatus(subject, failing, now).conditions?.some(({ type }) => type === 'ReplicaFailure'));
  const healed = rolloutStatus(subject, { newest: replicaSet('n'), old: [] }, now);
  assert.ok(!healed.conditions?.some(({ type }) => type === 'ReplicaFailure'));
});

test('a rollout is looked at again one second after its deadline', () => {
  const subject = deployment({ status: { conditions: [progressing('ReplicaSetUpdated')] } });
  assert.equal(nextCheckMs(subject, {}, now), 541_000);
  assert.equal(nextCheckMs(subject, {}, now + 3_600_000), 1000);
  assert.equal(nextCheckMs(deployment(), {}, now), undefined);
  assert.equal(nextCheckMs(subject, { ...full, updatedReplicas: 3 }, now), undefined);
});

test('pausing and resuming are noted once', () => {
  const paused = progressing('DeploymentPaused', 'Unknown');
  const cases = [
    [true, [], 'DeploymentPaused'],
    [true, [paused], undefined],
    [false, [paused], 'DeploymentResumed'],
    [false, [], undefined],
    [true, [progressing('ProgressDeadlineExceeded', 'False')], undefined],
  ] as const;
  for (const [isPaused, conditions, reason] of cases) {
    const subject = deployment({ spec: { paused: isPaused }, status: { conditions } });
    assert.equal(pauseCondition(subject)?.reason, reason, JSON.stringify([isPaused, conditions]));
  }
});
