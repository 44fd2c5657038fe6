import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import { nextPartition, nextStep, ordinalOf, readySince } from './partition.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const metadata = (name: string) => ({
  name,
  namespace: 'default',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: at(0),
});

/** `cache-1:new@30` is the pod of ordinal 1 with the new template, ready since 30; without a time it is not ready. */
function pod(text: string): Pod {
  const [, ordinal, revision = '', since, leaves] = /^(\d+):(\w+)(?:@(\d+))?(!)?$/.exec(text) ?? assert.fail(text);
  const ready = since === undefined ? { status: 'False' } : { status: 'True', lastTransitionTime: at(Number(since)) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata(`cache-${ordinal}`),
      labels: { 'controller-revision-hash': revision },
      ...(leaves && { deletionTimestamp: at(99) }),
    },
    spec: { containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', ...ready }] },
  };
}

interface Fields {
  readonly partition?: number;
  readonly replicas?: number;
  readonly current?: string;
  readonly observed?: number;
}

const set = ({ partition = 3, replicas = 3, current = 'old', observed = 2 }: Fields = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { ...metadata('cache'), generation: 2 },
  spec: {
    replicas,
    selector: {},
    serviceName: 'cache',
    template: {},
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
  },
  status: { replicas, observedGeneration: observed, currentRevision: current, updateRevision: 'new' },
});

const steps: readonly (readonly [what: string, set: StatefulSet, pods: readonly string[], step: string])[] = [
  ['the first goes at once', set(), ['0:old@1', '1:old@1', '2:old@1'], 'replace 2, of 0 1 2'],
  ['its turn was given already', set({ partition: 2 }), ['0:old@1', '1:old@1', '2:old@1'], 'watch'],
  ['it is away', set({ partition: 2 }), ['0:old@1', '1:old@1'], 'watch'],
  ['it is leaving', set({ partition: 2 }), ['0:old@1', '1:old@1', '2:new@1!'], 'watch'],
  ['it starts', set({ partition: 2 }), ['0:old@1', '1:old@1', '2:new'], 'watch'],
  ['it is ready for a moment', set({ partition: 2 }), ['0:old@1', '1:old@1', '2:new@50'], 'wait 10 s for 2'],
  [
    'it is ready for long enough',
    set({ partition: 2 }),
    ['0:old@1', '1:old@1', '2:new@40'],
    'replace 1 after 2, of 0 1',
  ],
  ['one replaced earlier is down again', set({ partition: 1 }), ['0:old@1', '1:new@5', '2:new'], 'watch'],
  ['one replaced earlier is back', set({ partition: 1 }), ['0:old@1', '1:new@5', '2:new@45'], 'wait 5 s for 2'],
  [
    'old ones that are down hold nothing up',
    set({ partition: 2 }),
    ['0:old', '1:old', '2:new@1'],
    'replace 1 after 2, of 0 1',
  ],
  ['one that is down is replaced first', set(), ['0:old@1', '1:old@1', '2:old'], 'replace 2, of 0 1 2'],
  ['a gap above is waited for', set({ partition: 2 }), ['0:old@1', '2:new@1'], 'watch'],
  ['a third template on the way', set(), ['0:old@1', '1:older@1', '2:new@1'], 'replace 1 after 2, of 0 1'],
  ['all have it', set({ partition: 0 }), ['0:new@59', '1:new', '2:new@1'], 'rest'],
  ['one that is missing comes by itself', set({ partition: 0 }), ['0:new@59', '2:new@1'], 'watch'],
  ['more than asked for are none of ours', set({ replicas: 2 }), ['0:new@1', '1:new@1', '2:old@1'], 'rest'],
  ['the status is of an older one', set({ observed: 1 }), ['0:old@1', '1:old@1', '2:old@1'], 'watch'],
  ['one alone', set({ replicas: 1, partition: 1 }), ['0:old@1'], 'replace 0, of 0'],
];

for (const [what, stateful, pods, expected] of steps) {
  test(`a rollout: ${what}`, () => {
    const step = nextStep({ set: stateful, pods: pods.map(pod), minReadySeconds: 20, now: 60_000 });
    const numbers = (some: readonly Pod[]) => some.map(ordinalOf).join(' ');
    const shown = {
      rest: () => 'rest',
      watch: () => 'watch',
      wait: () => step.type === 'wait' && `wait ${step.forMs / 1000} s for ${ordinalOf(step.youngest)}`,
      replace: () =>
        step.type === 'replace' &&
        `replace ${ordinalOf(step.next)}${step.youngest ? ` after ${ordinalOf(step.youngest)}` : ''}, of ${numbers(step.waiting)}`,
    }[step.type]();
    assert.equal(shown, expected);
  });
}

const old = ['0:old@1', '1:old@1', '2:old@1'].map(pod);
const half = ['0:old@1', '1:old@1', '2:new@1'].map(pod);
const all = ['0:new@1', '1:new@1', '2:new@1'].map(pod);
const same = { changesTemplate: false };
const partitions: readonly (readonly [what: string, asked: Parameters<typeof nextPartition>[0], partition: number])[] =
  [
    ['none is there', { size: 3, set: undefined, pods: [], changesTemplate: true }, 3],
    ['at rest', { size: 3, set: set({ current: 'new' }), pods: all, ...same }, 3],
    ['at rest and growing', { size: 5, set: set({ current: 'new' }), pods: all, ...same }, 5],
    ['at rest and shrinking', { size: 2, set: set({ current: 'new' }), pods: all, ...same }, 2],
    ['another template', { size: 3, set: set({ partition: 3, current: 'new' }), pods: all, changesTemplate: true }, 3],
    ['another template in a rollout', { size: 3, set: set({ partition: 1 }), pods: half, changesTemplate: true }, 3],
    ['another template and growing', { size: 5, set: set({ current: 'new' }), pods: all, changesTemplate: true }, 3],
    ['another template and shrinking', { size: 2, set: set({ current: 'new' }), pods: all, changesTemplate: true }, 2],
    ['it has begun', { size: 3, set: set(), pods: old, ...same }, 3],
    ['the next may go', { size: 3, set: set({ partition: 2 }), pods: half, released: 1, ...same }, 1],
    ['the next may not go', { size: 3, set: set({ partition: 2 }), pods: half, ...same }, 2],
    ['it never rises on the way', { size: 3, set: set({ partition: 0 }), pods: half, released: 1, ...same }, 0],
    ['growing on the way', { size: 5, set: set({ partition: 2 }), pods: half, ...same }, 2],
    ['shrinking on the way', { size: 1, set: set({ partition: 2 }), pods: half, ...same }, 1],
    ['all have it, and Kubernetes has not noted it', { size: 3, set: set({ partition: 0 }), pods: all, ...same }, 0],
    ['all have it', { size: 3, set: set({ partition: 0, current: 'new' }), pods: all, ...same }, 3],
    [
      'the status is of an older one',
      { size: 3, set: set({ partition: 0, current: 'new', observed: 1 }), pods: all, ...same },
      0,
    ],
    ['back to the template of before', { size: 3, set: set({ partition: 0, current: 'new' }), pods: half, ...same }, 0],
  ];

for (const [what, asked, partition] of partitions) {
  test(`the partition: ${what}`, () => assert.equal(nextPartition(asked), partition));
}

test('a pod is ready since its condition says so, unless it leaves', () => {
  assert.deepEqual(['0:new@7', '0:new', '0:new@7!'].map(pod).map(readySince), [7_000, undefined, undefined]);
});
