import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { type PodChanges, pod, readySince } from '../../test/pods.ts';
import { statefulSet } from '../../test/stateful-sets.ts';
import { planOf, type View } from './plan.ts';

const ready = readySince('2026-01-01T00:00:00Z');
const member = (ordinal: number, { metadata, ...rest }: PodChanges = {}, revision = 'web-new'): Pod =>
  pod(`web-${ordinal}`, {
    metadata: { labels: { 'controller-revision-hash': revision }, ...metadata },
    status: ready,
    ...rest,
  });
const going = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
const pending = { status: { phase: 'Pending' } } as const;

/** The plan in words; repairs and claims of healthy pods are left out, since most plans have them. */
function plan(set: Parameters<typeof statefulSet>[0], pods: readonly Pod[], view: Partial<View> = {}): string {
  const wallMs = Date.parse('2026-01-01T00:01:00Z');
  const stages = planOf({
    set: statefulSet(set),
    pods,
    updateRevision: 'web-new',
    wallMs,
    isHeldBack: () => false,
    ...view,
  });
  return stages
    .flat()
    .flatMap((step) => {
      if (step.type === 'create') return `create ${step.ordinal}`;
      return step.type === 'delete' ? `delete ${step.pod.metadata.name} (${step.why})` : [];
    })
    .join(', ');
}

test('in order, the next pod is made when all before it are available', () => {
  const three = { spec: { replicas: 3 } };
  assert.equal(plan(three, []), 'create 0');
  assert.equal(plan(three, [member(0, pending)]), '');
  assert.equal(plan(three, [member(0)]), 'create 1');
  assert.equal(plan(three, [member(0, going)]), '');
  assert.equal(plan(three, [member(1)]), 'create 0');
  assert.equal(plan({ spec: { replicas: 3, minReadySeconds: 61 } }, [member(0)]), '');
  assert.equal(plan({ spec: { replicas: 2, ordinals: { start: 4 } } }, [member(4)]), 'create 5');
  assert.equal(plan(three, [], { isHeldBack: () => true }), '');
});

test('in order, the highest pod goes first, and only when all others serve', () => {
  const one = { spec: { replicas: 1 } };
  assert.equal(plan(one, [member(0), member(1), member(2)]), 'delete web-2 (scale)');
  assert.equal(plan(one, [member(0), member(1), member(2, going)]), '');
  assert.equal(plan(one, [member(0, pending), member(1)]), '');
  assert.equal(plan(one, [member(0), member(1, pending), member(2)]), 'delete web-2 (scale)');
  assert.equal(plan(one, [member(0), member(1, pending), member(2, pending)]), '');
  assert.equal(plan(one, [member(0), member(1), member(2, pending)]), 'delete web-2 (scale)');
});

test('in parallel, nobody waits for anybody', () => {
  const parallel = (replicas: number) => ({ spec: { replicas, podManagementPolicy: 'Parallel' as const } });
  assert.equal(plan(parallel(3), [member(1, pending)]), 'create 0, create 2');
  assert.equal(plan(parallel(1), [member(0, pending), member(1), member(2, going)]), 'delete web-1 (scale)');
});

test('an update takes one pod at a time, from the last down to the partition', () => {
  const old = (ordinal: number, changes?: PodChanges) => member(ordinal, changes, 'web-old');
  const rolling = (partition: number) => ({
    spec: { replicas: 3, updateStrategy: { type: 'RollingUpdate' as const, rollingUpdate: { partition } } },
  });
  assert.equal(plan(rolling(0), [old(0), old(1), old(2)]), 'delete web-2 (update)');
  assert.equal(plan(rolling(0), [old(0), old(1), member(2)]), 'delete web-1 (update)');
  assert.equal(plan(rolling(0), [old(0), old(1), member(2, pending)]), '');
  assert.equal(plan(rolling(2), [old(0), old(1), member(2)]), '');
  assert.equal(plan({ spec: { replicas: 1, updateStrategy: { type: 'OnDelete' } } }, [old(0)]), '');
});

test('what has ended is deleted so that it can be made again, and a set that goes does nothing', () => {
  const failed = { status: { phase: 'Failed' } } as const;
  assert.equal(plan({ spec: { replicas: 1 } }, [member(0, failed)]), 'delete web-0 (ended)');
  assert.equal(plan({ ...going, spec: { replicas: 3 } }, []), '');
});

test('a pod that waits is given the claims that it lacks, and one that goes keeps its own in order', () => {
  const set = statefulSet({ spec: { replicas: 1, podManagementPolicy: 'Parallel' } });
  const pods = [member(0, pending), member(1)];
  const view = { set, pods, updateRevision: 'web-new', wallMs: 0, isHeldBack: () => false };
  const kept = planOf(view)
    .flat()
    .flatMap((step) => (step.type === 'claims' ? [[step.pod.metadata.name, step.missing]] : []));
  assert.deepEqual(kept, [
    ['web-0', true],
    ['web-1', false],
  ]);
});
