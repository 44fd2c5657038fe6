import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@keelson/core/v1';
import { type PodChanges, pod, readySince } from '../../test/pods.ts';
import { podsToDelete } from './deletion-order.ts';

const now = Date.parse('2026-01-01T10:00:00Z');
const first = (pods: readonly Pod[], related: readonly Pod[] = []) =>
  podsToDelete(pods, related, 1, now).map(({ metadata }) => metadata.name)[0];
const ready = readySince('2026-01-01T05:00:00Z');
const restarted = (restartCount: number) => ({
  ...ready,
  containerStatuses: [{ name: 'web', image: '', imageID: '', ready: true, restartCount }],
});
const cost = (value: string): PodChanges => ({
  metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } },
  status: ready,
});

test('what serves least goes first', () => {
  const cases: readonly (readonly [string, PodChanges, PodChanges])[] = [
    ['unassigned before assigned', { spec: { nodeName: undefined } }, { status: { phase: 'Pending' } }],
    ['pending before unknown', { status: { phase: 'Pending' } }, { status: { phase: 'Unknown' } }],
    ['unknown before running', { status: { phase: 'Unknown' } }, {}],
    ['not ready before ready', {}, { status: ready }],
    ['cheap before dear', cost('-5'), cost('10')],
    ['a bad cost counts as none', cost('1e3'), cost('1')],
    ['ready for a short time before a long one', { status: readySince('2026-01-01T09:59:00Z') }, { status: ready }],
    ['restarted often before seldom', { status: restarted(3) }, { status: restarted(1) }],
    ['young before old', { metadata: { creationTimestamp: '2026-01-01T09:59:00Z' } }, {}],
  ];
  for (const [name, sooner, later] of cases) {
    const [a, b] = [pod('sooner', sooner), pod('later', later)];
    assert.equal(first([a, b]), 'sooner', name);
    assert.equal(first([b, a]), 'sooner', name);
  }
});

test('pods that share a node with many of the same Deployment go first', () => {
  const on = (name: string, nodeName: string) => pod(name, { spec: { nodeName }, status: ready });
  const [a, b, c] = [on('a', 'one'), on('b', 'two'), on('c', 'two')];
  assert.equal(first([a, b], [a, b, c]), 'b');
  const ended = pod('d', { spec: { nodeName: 'one' }, status: { phase: 'Failed' } });
  assert.equal(first([a, b], [a, b, c, ended, ended]), 'b');
});

test('ages of the same order of magnitude are told apart by uid alone', () => {
  const made = (name: string, uid: string, creationTimestamp: string) =>
    pod(name, { metadata: { uid, creationTimestamp } });
  assert.equal(first([made('old', 'a', '2026-01-01T02:00:00Z'), made('young', 'b', '2026-01-01T03:00:00Z')]), 'old');
  assert.equal(first([made('old', 'b', '2026-01-01T02:00:00Z'), made('young', 'a', '2026-01-01T03:00:00Z')]), 'young');
});

test('all pods go when all must', () => {
  const pods = [pod('a'), pod('b')];
  assert.deepEqual(podsToDelete(pods, [], 2, now), pods);
});
