import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReplicaSet } from '@keelson/core/apps/v1';
import fc from 'fast-check';
import { deployment, oldReplicaSet, replicaSet } from '../../test/deployments.ts';
import { sizeAnnotations } from './annotations.ts';
import { boundsOf, replicasOf } from './bounds.ts';
import { sortOut } from './replica-sets.ts';
import { isScalingEvent, newestReplicas, proportionalStep, rollingStep, type Scale, scaled } from './scaling.ts';

const sized = (replicas: number, availableReplicas = replicas) => ({
  spec: { replicas },
  status: { replicas, availableReplicas },
});
const sizes = (steps: readonly Scale[]) =>
  Object.fromEntries(steps.map(({ replicaSet, replicas }) => [replicaSet.metadata.uid, replicas]));
const rolling = (replicas: number, maxSurge: number | string, maxUnavailable: number | string) =>
  deployment({ spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } } });

test('a new ReplicaSet begins with what surge allows, and Recreate with everything', () => {
  assert.equal(newestReplicas(rolling(5, '25%', '25%'), [oldReplicaSet('a', sized(5))], 0), 2);
  assert.equal(newestReplicas(rolling(5, 0, 1), [oldReplicaSet('a', sized(5))], 0), 0);
  assert.equal(newestReplicas(rolling(5, 1, 0), [], 0), 5);
  assert.equal(newestReplicas(deployment({ spec: { replicas: 4, strategy: { type: 'Recreate' } } }), [], 0), 4);
});

test('a rolling update first grows the new ReplicaSet, then shrinks old ones', () => {
  const cases = [
    // desired, surge, unavailable, [new, its available], [old, its available]…, expected
    [5, 2, 1, [2, 0], [[5, 5]], { a: 4 }],
    [5, 2, 1, [2, 0], [[4, 4]], { n: 3 }],
    [5, 2, 1, [3, 0], [[4, 4]], {}],
    [5, 2, 1, [3, 1], [[4, 4]], { a: 3 }],
    [5, 0, 1, [0, 0], [[5, 5]], { a: 4 }],
    [5, 0, 1, [1, 0], [[4, 4]], {}],
    [3, 1, 0, [3, 3], [[1, 1]], { a: 0 }],
    [3, 1, 0, [5, 5], [[0, 0]], { n: 3 }],
    // old pods that are not available go first, whatever the new ones do
    [3, 1, 0, [1, 0], [[3, 1]], {}],
    [3, 1, 1, [1, 0], [[3, 1]], { a: 2 }],
    [10, 3, 2, [5, 0], [[8, 7]], {}],
    [
      10,
      3,
      2,
      [0, 0],
      [
        [8, 8],
        [5, 0],
      ],
      { a: 8, b: 0 },
    ],
    [3, 1, 0, [3, 3], [[0, 0]], {}],
  ] as const;
  for (const [desired, surge, unavailable, [size, ready], olds, expected] of cases) {
    const old = olds.map(([replicas, available], i) => oldReplicaSet(i === 0 ? 'a' : 'b', sized(replicas, available)));
    const steps = rollingStep(rolling(desired, surge, unavailable), replicaSet('n', sized(size, ready)), old);
    const changed = Object.fromEntries(
      Object.entries(expected).filter(([uid, to]) => to !== olds[uid === 'b' ? 1 : 0]?.[0] || uid === 'n'),
    );
    assert.deepEqual(sizes(steps), changed, JSON.stringify([desired, surge, unavailable, size, ready, olds]));
  }
});

/** One ReplicaSet's pods in the eyes of the world: how many of its size are available. */
function settle(each: ReplicaSet, availableReplicas: number): ReplicaSet {
  const replicas = replicasOf(each);
  return { ...each, status: { ...each.status, replicas, availableReplicas: Math.min(availableReplicas, replicas) } };
}

test('whatever becomes ready or fails when, a rollout never exceeds its bounds, and it ends', () => {
  const bound = fc.oneof(
    fc.integer({ min: 0, max: 4 }),
    fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
  );
  const arbitrary = fc.record({
    desired: fc.integer({ min: 0, max: 12 }),
    surge: bound,
    unavailable: bound,
    oldSizes: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
    world: fc.infiniteStream(fc.integer({ min: 0, max: 12 })),
  });
  fc.assert(
    fc.property(arbitrary, ({ desired, surge, unavailable, oldSizes, world }) => {
      const subject = rolling(desired, surge, unavailable);
      const bounds = boundsOf(subject);
      const minAvailable = desired - bounds.unavailable;
      let newest = replicaSet('n', sized(0));
      let old = oldSizes.map((size, i) => oldReplicaSet(`o${i}`, sized(size)));
      const all = () => [...old, newest];
      const total = () => all().reduce((sum, each) => sum + replicasOf(each), 0);
      const available = () => all().reduce((sum, each) => sum + (each.status.availableReplicas ?? 0), 0);
      const limit = Math.max(desired + bounds.surge, total());
      for (let round = 0; round < 200; round++) {
        const steps = rollingStep(subject, newest, old);
        if (steps.length === 0 && total() === desired && replicasOf(newest) === desired && available() === desired)
          return;
        const before = available();
        for (const step of steps) {
          const next = settle(scaled(subject, step), step.replicaSet.status.availableReplicas ?? 0);
          if (step.replicaSet === newest) newest = next;
          else old = old.map((each) => (each === step.replicaSet ? next : each));
        }
        assert.ok(total() <= limit, `${total()} pods, ${limit} allowed`);
        assert.ok(available() >= Math.min(before, minAvailable), `${available()} available after ${before}`);
        // The world: some pods come up; in the first rounds, some also fail.
        const change = world.next().value;
        newest = settle(newest, (newest.status.availableReplicas ?? 0) + change);
        if (round < 20)
          old = old.map((each) => settle(each, Math.max(0, (each.status.availableReplicas ?? 0) - (change % 3))));
        if (round >= 20) newest = settle(newest, replicasOf(newest));
      }
      assert.fail('the rollout did not end');
    }),
    { numRuns: 300 },
  );
});

test('a changed spec.replicas is a scaling event, told by the notes on the ReplicaSets', () => {
  const subject = deployment({ spec: { replicas: 5 } });
  const noted = (replicas: number) =>
    replicaSet('n', { metadata: { annotations: sizeAnnotations(deployment({ spec: { replicas } })) } });
  assert.ok(isScalingEvent(subject, { newest: noted(3), old: [] }));
  assert.ok(!isScalingEvent(subject, { newest: noted(5), old: [] }));
  assert.ok(!isScalingEvent(subject, { newest: replicaSet('n'), old: [] }));
  const inactive = { ...noted(3), spec: { ...noted(3).spec, replicas: 0 } };
  assert.ok(!isScalingEvent(subject, { newest: inactive, old: [] }));
});

test('the only active ReplicaSet, or else the latest, follows spec.replicas', () => {
  const subject = deployment({ spec: { replicas: 5 } });
  const active = oldReplicaSet('a', sized(3));
  const idle = replicaSet('n', sized(0));
  assert.deepEqual(sizes(proportionalStep(subject, { newest: idle, old: [active] })), { a: 5 });
  assert.deepEqual(sizes(proportionalStep(subject, { newest: idle, old: [] })), { n: 5 });
  assert.deepEqual(sizes(proportionalStep(subject, { newest: undefined, old: [oldReplicaSet('a', sized(0))] })), {
    a: 5,
  });
  assert.deepEqual(proportionalStep(subject, { newest: undefined, old: [] }), []);
});

test('in the middle of a rollout all ReplicaSets follow in proportion, the largest taking what rounding leaves', () => {
  const noted = (each: ReplicaSet, replicas: number) => ({
    ...each,
    metadata: { ...each.metadata, annotations: sizeAnnotations(rolling(replicas, 3, 2)) },
  });
  const before = (old: number, fresh: number, desired: number) =>
    sortOut(deployment(), [
      noted(oldReplicaSet('a', sized(old)), desired),
      noted(replicaSet('n', sized(fresh, 0)), desired),
    ]);
  // the example of Kubernetes' documentation: 10 → 15 with 8 old and 5 new
  assert.deepEqual(sizes(proportionalStep(rolling(15, 3, 2), before(8, 5, 10))), { a: 11, n: 7 });
  assert.deepEqual(sizes(proportionalStep(rolling(0, 3, 2), before(8, 5, 10))), { a: 0, n: 0 });
  assert.deepEqual(sizes(proportionalStep(rolling(5, 3, 2), before(8, 5, 10))), { a: 5, n: 3 });
});

test('a saturated new ReplicaSet sends the others to zero', () => {
  const newest = {
    ...replicaSet('n', sized(3)),
    metadata: { ...replicaSet('n').metadata, annotations: sizeAnnotations(deployment()) },
  };
  assert.deepEqual(sizes(proportionalStep(deployment(), { newest, old: [oldReplicaSet('a', sized(2))] })), { a: 0 });
});
