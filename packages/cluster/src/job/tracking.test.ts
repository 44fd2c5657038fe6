import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStatus } from '@keelson/core/batch/v1';
import { job } from '../../test/jobs.ts';
import { pod } from '../../test/pods.ts';
import { trackingFinalizer } from './pods.ts';
import { isAllCounted, settled, track } from './tracking.ts';
import { viewOf } from './view.ts';

const ended = (name: string, phase: 'Succeeded' | 'Failed', finalizers = [trackingFinalizer]) =>
  pod(name, { metadata: { finalizers }, status: { phase } });

const uids = (pods: readonly { readonly metadata: { readonly uid: string } }[]) =>
  pods.map(({ metadata }) => metadata.uid);

test('a pod is counted once, wherever the controller is interrupted', () => {
  const pods = [ended('good', 'Succeeded'), ended('bad', 'Failed')];
  const first = track(viewOf(job(), pods), {}, undefined);
  assert.deepEqual(first.status.uncountedTerminatedPods, { succeeded: ['good'], failed: ['bad'] });
  assert.deepEqual(uids(first.toRelease), ['good', 'bad']);

  // Interrupted before a finalizer went: the same again, and nothing twice.
  const again = track(viewOf(job({ status: first.status }), pods), first.status, undefined);
  assert.deepEqual(again.status, first.status);

  // Interrupted after one of them went: it is counted, the other one still noted.
  const half = [ended('good', 'Succeeded', []), ended('bad', 'Failed')];
  const second = track(viewOf(job({ status: first.status }), half), first.status, undefined);
  assert.deepEqual(second.status, { succeeded: 1, uncountedTerminatedPods: { failed: ['bad'] } });
  assert.ok(!isAllCounted(second.status));

  const done: JobStatus = settled(second.status, new Set());
  assert.deepEqual(done, { succeeded: 1, failed: 1, uncountedTerminatedPods: {} });
  assert.deepEqual(track(viewOf(job({ status: done }), []), done, undefined).status, done);
});

test('what still runs counts as failed when the Job has failed, and not when it has succeeded', () => {
  const pods = [pod('late', { metadata: { finalizers: [trackingFinalizer] } })];
  const noted = (outcome: 'Complete' | 'Failed') =>
    track(viewOf(job(), pods), {}, { outcome, reason: '', message: '' }).status.uncountedTerminatedPods;
  assert.deepEqual(noted('Failed'), { failed: ['late'] });
  assert.deepEqual(noted('Complete'), {});
});

test('no more than five hundred pods are noted at a time', () => {
  const pods = Array.from({ length: 600 }, (_, index) => ended(`p${index}`, 'Succeeded'));
  const tracking = track(viewOf(job(), pods), {}, undefined);
  assert.equal(tracking.toRelease.length, 500);
  assert.ok(tracking.hasMore);
});
