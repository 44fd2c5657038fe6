import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '@keelson/core/v1';
import { type PodChanges, pod } from '../../test/pods.ts';
import { chooseNode, misfitOf, unschedulableMessage } from './fit.ts';

function node(name: string, spec: Node['spec'] = {}, ready = 'True'): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '', labels: { disk: 'ssd', size: '8' } },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready }] },
  };
}

const waiting = (spec: PodChanges['spec'] = {}) => pod('p', { spec: { nodeName: undefined, ...spec } });
const affinity = (...terms: readonly object[]): PodChanges['spec'] => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const expression = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' } as const;
const didNotMatch = "node(s) didn't match Pod's node affinity/selector";

test('a pod fits a node that it selects and whose taints it tolerates', () => {
  const cases = [
    [waiting(), node('a'), undefined],
    [waiting(), node('a', {}, 'False'), 'node(s) were not ready'],
    [waiting(), node('a', { unschedulable: true }), 'node(s) were unschedulable'],
    [waiting(), node('a', { taints: [taint] }), 'node(s) had untolerated taint {gpu: yes}'],
    [waiting(), node('a', { taints: [{ ...taint, effect: 'PreferNoSchedule' }] }), undefined],
    [waiting({ tolerations: [{ key: 'gpu', value: 'yes' }] }), node('a', { taints: [taint] }), undefined],
    [waiting({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }), node('a', { taints: [taint] }), undefined],
    [
      waiting({ tolerations: [{ operator: 'Exists' }] }),
      node('a', { taints: [taint], unschedulable: true }),
      undefined,
    ],
    [
      waiting({ tolerations: [{ key: 'gpu', value: 'no' }] }),
      node('a', { taints: [taint] }),
      'node(s) had untolerated taint {gpu: yes}',
    ],
    [
      waiting({ tolerations: [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }] }),
      node('a', { taints: [taint] }),
      'node(s) had untolerated taint {gpu: yes}',
    ],
    [waiting({ nodeSelector: { disk: 'ssd' } }), node('a'), undefined],
    [waiting({ nodeSelector: { disk: 'tape' } }), node('a'), didNotMatch],
    [waiting(affinity(expression('disk', 'In', 'ssd', 'tape'))), node('a'), undefined],
    [waiting(affinity(expression('disk', 'NotIn', 'ssd'))), node('a'), didNotMatch],
    [waiting(affinity(expression('disk', 'NotIn', 'ssd'), expression('disk', 'Exists'))), node('a'), undefined],
    [waiting(affinity(expression('size', 'Gt', '7'))), node('a'), undefined],
    [waiting(affinity(expression('size', 'Lt', '7'))), node('a'), didNotMatch],
    [waiting(affinity({})), node('a'), didNotMatch],
    [
      waiting(affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] })),
      node('a'),
      undefined,
    ],
  ] as const;
  for (const [subject, on, misfit] of cases) assert.equal(misfitOf(subject, on), misfit, JSON.stringify(subject.spec));
});

test('the node with the fewest pods is chosen, and the name decides between equals', () => {
  const load: Readonly<Record<string, number>> = { a: 2, b: 1, c: 1 };
  const nodes = [node('c'), node('b'), node('a')];
  assert.deepEqual(
    chooseNode(waiting(), nodes, (name) => load[name] ?? 0),
    { node: 'b' },
  );
});

test('a pod that fits nowhere is told why, in numbers', () => {
  const nodes = [node('a', { unschedulable: true }), node('b', { unschedulable: true }), node('c', {}, 'Unknown')];
  const choice = chooseNode(waiting(), nodes, () => 0);
  assert.ok('misfits' in choice);
  assert.equal(
    unschedulableMessage(3, choice.misfits),
    '0/3 nodes are available: 1 node(s) were not ready, 2 node(s) were unschedulable. no new claims to deallocate, ' +
      'preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  );
  assert.equal(unschedulableMessage(0, []), 'no nodes available to schedule pods');
});
