import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { daemonSet, nodeNamed } from '../../test/daemon-sets.ts';
import { type PodChanges, pod, readySince } from '../../test/pods.ts';
import { FailedPods } from './failed-pods.ts';
import { type Plan, updateStep, upkeep, type View } from './plan.ts';
import { statusOf } from './status.ts';

const nodes = ['a', 'b', 'c'].map((name) => nodeNamed(name));
const wallMs = Date.parse('2026-01-01T00:10:00Z');
/** A ready pod on a node, named after it and its revision. */
const on = (node: string, revision: 'new' | 'old', { metadata, ...rest }: PodChanges = {}): Pod =>
  pod(`${node}-${revision}`, {
    metadata: { labels: { app: 'web', 'controller-revision-hash': revision }, ...metadata },
    spec: { nodeName: node },
    status: readySince('2026-01-01T00:00:00Z'),
    ...rest,
  });
const going = { metadata: { labels: {}, deletionTimestamp: '2026-01-01T00:00:00Z' } };
const waiting = { status: { phase: 'Pending' } } as const;
const view = (pods: readonly Pod[], set = daemonSet()): View => ({ set, hash: 'new', nodes, pods, wallMs });
const words = ({ create, remove, ended }: Plan) =>
  [
    ...create.map((node) => `+${node}`),
    ...remove.map(({ metadata }) => `-${metadata.name}`),
    ...ended.map(({ metadata }) => `!${metadata.name}`),
  ].join(' ');
const surging = (maxSurge: number | string) =>
  daemonSet({ spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable: 0 } } } });

test('each eligible node has one pod, and the others none', () => {
  assert.equal(words(upkeep(view([]))), '+a +b +c');
  assert.equal(words(upkeep(view([on('a', 'new'), on('b', 'old', going)]))), '+c');
  const younger = on('a', 'old', { metadata: { labels: {}, creationTimestamp: '2026-01-01T00:05:00Z' } });
  assert.equal(words(upkeep(view([younger, on('a', 'new'), on('b', 'new'), on('c', 'new')]))), '-a-old');
  const only = daemonSet({ template: { nodeSelector: { 'kubernetes.io/hostname': 'a' } } });
  assert.equal(words(upkeep(view([on('a', 'new'), on('b', 'new')], only))), '-b-new');
  const failed = on('b', 'new', { status: { phase: 'Failed' } });
  assert.equal(words(upkeep(view([on('a', 'new'), failed, on('c', 'new')]))), '!b-new');
});

test('a pod that waits for a node that is gone is deleted', () => {
  const nodeAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['gone'] }] }],
    },
  };
  const stranded = on('x', 'new', { spec: { nodeName: undefined, affinity: { nodeAffinity } } });
  const all = ['a', 'b', 'c'].map((name) => on(name, 'new'));
  assert.equal(words(upkeep(view([...all, stranded]))), '-x-new');
});

test('an update deletes as many old pods as nodes may be without one, and idle ones at once', () => {
  const old = ['a', 'b', 'c'].map((name) => on(name, 'old'));
  assert.equal(words(updateStep(view(old))), '-a-old');
  assert.equal(words(updateStep(view([on('a', 'new', waiting), ...old.slice(1)]))), '');
  assert.equal(words(updateStep(view([on('a', 'new'), ...old.slice(1)]))), '-b-old');
  assert.equal(words(updateStep(view([...old.slice(0, 2), on('c', 'old', waiting)]))), '-c-old');
  const half = daemonSet({
    spec: { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } },
  });
  assert.equal(words(updateStep(view(old, half))), '-a-old -b-old');
  assert.equal(words(updateStep(view(['a', 'b', 'c'].map((name) => on(name, 'new'))))), '');
});

test('with surge, a new pod comes beside the old one, which goes when the new one serves', () => {
  const old = ['a', 'b', 'c'].map((name) => on(name, 'old'));
  assert.equal(words(updateStep(view(old, surging(1)))), '+a');
  assert.equal(words(updateStep(view([...old, on('a', 'new', waiting)], surging(1)))), '');
  assert.equal(words(updateStep(view([...old, on('a', 'new')], surging(1)))), '+b -a-old');
  assert.equal(words(updateStep(view([on('a', 'old', waiting), ...old.slice(1)], surging(1)))), '+a +b');
  assert.equal(words(upkeep(view([...old, on('a', 'new', waiting)], surging(1)))), '');
  assert.equal(words(upkeep(view([on('a', 'old', waiting), on('a', 'new'), ...old.slice(1)], surging(1)))), '-a-old');
});

test('the status counts nodes', () => {
  const only = daemonSet({ template: { nodeSelector: { 'kubernetes.io/hostname': 'a' } } });
  assert.deepEqual(statusOf(view([on('a', 'old'), on('b', 'new')], only), 0), {
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    desiredNumberScheduled: 1,
    numberReady: 1,
    observedGeneration: 1,
    numberAvailable: 1,
  });
  const { numberUnavailable, updatedNumberScheduled } = statusOf(view([on('a', 'new')]), 0);
  assert.deepEqual([numberUnavailable, updatedNumberScheduled], [2, 1]);
});

test('pods that fail again and again on a node are deleted ever more slowly', () => {
  const failed = new FailedPods();
  const waits = [0, 500, 1000, 1500, 3000, 3001].map((now) => failed.waitMs('set/a', now));
  assert.deepEqual(waits, [0, 500, 0, 1500, 0, 3999]);
  failed.forget('set/');
  assert.equal(failed.waitMs('set/a', 3002), 0);
});
