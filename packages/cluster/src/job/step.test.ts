import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobSpec } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';
import { job } from '../../test/jobs.ts';
import { pod } from '../../test/pods.ts';
import { noBackoff } from './backoff.ts';
import { indexName, trackingFinalizer } from './pods.ts';
import { stepOf } from './step.ts';
import { viewOf } from './view.ts';

const wallMs = Date.parse('2026-01-01T00:00:30Z');

/** In words: `delete a b`, `create 0 2`, `create - -`, `wait 10`. */
function step(spec: Partial<JobSpec>, pods: readonly Pod[], backoff = noBackoff): string {
  const next = stepOf(viewOf(job({ spec }), pods), backoff, wallMs);
  if (next.type === 'wait') return `wait ${next.ms / 1000}`;
  const what = next.type === 'delete' ? next.pods.map(({ metadata }) => metadata.name) : next.indexes;
  return [next.type, ...what.map((each) => each ?? '-')].join(' ');
}

const indexed = (index: number, changes: Partial<Pod['status']> = {}, annotations = {}) =>
  pod(`i${index}`, {
    metadata: { finalizers: [trackingFinalizer], annotations: { [indexName]: `${index}`, ...annotations } },
    status: changes,
  });
const succeeded = pod('done', { metadata: { finalizers: [trackingFinalizer] }, status: { phase: 'Succeeded' } });
const pending = (name: string) => pod(name, { status: { phase: 'Pending' } });
const going = pod('going', { metadata: { deletionTimestamp: '2026-01-01T00:00:20Z' } });

test('as many pods as may run at once, and no more than are needed still', () => {
  assert.equal(step({ parallelism: 2, completions: 5 }, []), 'create - -');
  assert.equal(step({ parallelism: 3, completions: 3 }, [succeeded, pod('a')]), 'create -');
  assert.equal(step({ parallelism: 3, completions: undefined }, [succeeded, pod('a')]), 'create');
  assert.equal(step({ parallelism: 1, completions: 5 }, [pod('a'), pending('b')]), 'delete b');
  assert.equal(step({ suspend: true }, [pod('a'), pod('b')]), 'delete a b');
});

test('a pod that ends is replaced at once, or when it has failed', () => {
  assert.equal(step({}, [going]), 'create -');
  assert.equal(step({ podReplacementPolicy: 'Failed' }, [going]), 'create');
});

test('after failures the next pod waits', () => {
  const backoff = { failures: 2, lastFailureMs: wallMs - 5000 };
  assert.equal(step({}, [], backoff), 'wait 15');
});

test('the lowest free indexes come first, and doubles and strangers go', () => {
  const spec = { completionMode: 'Indexed', completions: 4, parallelism: 3 } as const;
  assert.equal(step(spec, [indexed(1)]), 'create 0 2');
  assert.equal(step(spec, [indexed(1), { ...indexed(1), status: { phase: 'Pending' } }, indexed(7)]), 'delete i1 i7');
});

test('an index that has failed waits for itself alone', () => {
  const spec = { completionMode: 'Indexed', completions: 3, parallelism: 3, backoffLimitPerIndex: 5 } as const;
  const ready = { type: 'Ready', status: 'False', lastTransitionTime: '2026-01-01T00:00:28Z' };
  const failed = indexed(0, { phase: 'Failed', conditions: [ready] });
  assert.equal(step(spec, [failed, indexed(1)]), 'create 2');
  assert.equal(step(spec, [failed, indexed(1), indexed(2)]), 'wait 8');
});
