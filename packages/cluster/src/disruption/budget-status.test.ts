import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { type PodChanges, pod, readySince } from '../../test/pods.ts';
import { countsOf, disruptedIn, failedStatus, needsScale, statusOf } from './budget-status.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const longAgo = '2026-01-01T00:00:00Z';

const budget = (
  spec: PodDisruptionBudget['spec'] = {},
  status: PodDisruptionBudget['status'] = {},
): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: {
    name: 'b',
    namespace: 'default',
    uid: 'b',
    resourceVersion: '1',
    generation: 3,
    creationTimestamp: longAgo,
  },
  spec,
  status,
});

const ready = (name: string, changes: PodChanges = {}) => pod(name, { status: readySince(longAgo), ...changes });

test('what must stay follows from the spec and from what the controllers want', () => {
  const two = [pod('a'), pod('b')];
  const cases = [
    [{ minAvailable: 1 }, 0, { expectedPods: 2, desiredHealthy: 1 }],
    [{ minAvailable: 5 }, 9, { expectedPods: 2, desiredHealthy: 5 }],
    [{ minAvailable: '50%' }, 4, { expectedPods: 4, desiredHealthy: 2 }],
    [{ minAvailable: '30%' }, 4, { expectedPods: 4, desiredHealthy: 2 }],
    [{ minAvailable: '100%' }, 0, { expectedPods: 0, desiredHealthy: 0 }],
    [{ maxUnavailable: 1 }, 4, { expectedPods: 4, desiredHealthy: 3 }],
    [{ maxUnavailable: 7 }, 4, { expectedPods: 4, desiredHealthy: 0 }],
    [{ maxUnavailable: '30%' }, 4, { expectedPods: 4, desiredHealthy: 2 }],
    [{}, 4, { expectedPods: 0, desiredHealthy: 0 }],
  ] as const;
  for (const [spec, scale, expected] of cases) {
    assert.deepEqual(countsOf(spec, two, scale), expected, JSON.stringify([spec, scale]));
  }
});

test('the controllers are asked only when it matters', () => {
  assert.equal(needsScale({ minAvailable: 1 }), false);
  assert.equal(needsScale({ minAvailable: '1%' }), true);
  assert.equal(needsScale({ maxUnavailable: 1 }), true);
  assert.equal(needsScale({}), false);
});

test('pods count as healthy when they are ready, stay, and are not about to go', () => {
  const since = '2026-01-01T00:09:00Z';
  const guarded = budget({}, { disruptedPods: { granted: since } });
  const pods = [
    ready('a'),
    ready('b'),
    ready('granted'),
    ready('going', { metadata: { deletionTimestamp: longAgo } }),
    pod('unready'),
  ];
  const disrupted = disruptedIn(guarded, pods, now);
  assert.deepEqual(disrupted, { pods: { granted: since }, overdue: [], recheckMs: 60_000 });
  assert.deepEqual(statusOf(guarded, pods, { expectedPods: 5, desiredHealthy: 1 }, disrupted, now), {
    observedGeneration: 3,
    disruptedPods: { granted: since },
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 5,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'True',
        observedGeneration: 3,
        lastTransitionTime: '2026-01-01T00:10:00Z',
        reason: 'SufficientPods',
        message: '',
      },
    ],
  });
});

test('a granted eviction is forgotten when it happened, and when it did not for two minutes', () => {
  const disruptedPods = { going: longAgo, gone: longAgo, late: longAgo };
  const pods = [ready('going', { metadata: { deletionTimestamp: longAgo } }), ready('late')];
  const { pods: waiting, overdue, recheckMs } = disruptedIn(budget({}, { disruptedPods }), pods, now);
  assert.deepEqual(waiting, {});
  assert.deepEqual(
    overdue.map(({ metadata }) => metadata.name),
    ['late'],
  );
  assert.equal(recheckMs, undefined);
});

test('a budget that expects nobody allows nothing', () => {
  const none = disruptedIn(budget(), [], now);
  const status = statusOf(budget(), [ready('a')], { expectedPods: 0, desiredHealthy: 0 }, none, now);
  assert.deepEqual([status.currentHealthy, status.disruptionsAllowed], [1, 0]);
  assert.equal(status.conditions?.[0]?.reason, 'InsufficientPods');
});

test('a condition keeps its time while it says the same', () => {
  const none = disruptedIn(budget(), [], now);
  const counts = { expectedPods: 1, desiredHealthy: 1 };
  const before = statusOf(budget(), [ready('a')], counts, none, Date.parse(longAgo));
  const after = statusOf(budget({}, before), [ready('a')], counts, none, now);
  assert.deepEqual(after, before);
});

test('what cannot be judged allows nothing, and counts as not observed', () => {
  const failed = failedStatus(
    budget({}, { observedGeneration: 2, disruptionsAllowed: 4, currentHealthy: 5 }),
    'why',
    now,
  );
  assert.deepEqual(failed, {
    observedGeneration: 2,
    disruptionsAllowed: 0,
    currentHealthy: 5,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        observedGeneration: 2,
        lastTransitionTime: '2026-01-01T00:10:00Z',
        reason: 'SyncFailed',
        message: 'why',
      },
    ],
  });
});
