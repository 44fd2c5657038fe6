import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Taint } from '@keelson/core/v1';
import { daemonSet, nodeNamed } from '../../test/daemon-sets.ts';
import { pod } from '../../test/pods.ts';
import { revision } from '../../test/stateful-sets.ts';
import { eligibilityOf, isUpdated, newPod, targetNode } from './eligible-nodes.ts';

const tainted = (key: string, effect: Taint['effect']) => nodeNamed('a', { taints: [{ key, effect }] });
const current = {
  ...revision('web-hash', 'web:1'),
  metadata: { ...revision('web-hash', '').metadata, labels: { 'controller-revision-hash': 'hash' } },
};

test('a pod belongs on a node that it selects and whose taints it tolerates', () => {
  const of = (set: Parameters<typeof daemonSet>[0], node = nodeNamed('a')) => {
    const { shouldRun, mayStay } = eligibilityOf(daemonSet(set), node);
    return [shouldRun, mayStay];
  };
  assert.deepEqual(of({}), [true, true]);
  assert.deepEqual(of({ template: { nodeSelector: { 'kubernetes.io/hostname': 'b' } } }), [false, false]);
  assert.deepEqual(of({ template: { nodeName: 'b' } }), [false, false]);
  assert.deepEqual(of({}, tainted('gpu', 'NoSchedule')), [false, true]);
  assert.deepEqual(of({}, tainted('gpu', 'NoExecute')), [false, false]);
  assert.deepEqual(
    of({ template: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } }, tainted('gpu', 'NoExecute')),
    [true, true],
  );
  for (const trouble of ['unschedulable', 'disk-pressure', 'memory-pressure', 'pid-pressure']) {
    assert.deepEqual(of({}, tainted(`node.kubernetes.io/${trouble}`, 'NoSchedule')), [true, true], trouble);
  }
  const cut = tainted('node.kubernetes.io/network-unavailable', 'NoSchedule');
  assert.deepEqual(of({}, cut), [false, true]);
  assert.deepEqual(of({ template: { hostNetwork: true } }, cut), [true, true]);
});

test('a pod is made for one node, and says from which template', () => {
  const { metadata, spec } = newPod(daemonSet(), current, 'a');
  assert.equal(metadata.generateName, 'web-');
  assert.deepEqual(metadata.labels, { app: 'web', 'controller-revision-hash': 'hash', 'pod-template-generation': '2' });
  const made = pod('p', { metadata: { labels: metadata.labels ?? {} }, spec: { ...spec, nodeName: undefined } });
  assert.equal(targetNode(made), 'a');
  assert.equal(spec?.tolerations?.length, 6);
  assert.ok(isUpdated(made, daemonSet(), 'hash'));
  assert.ok(isUpdated(made, daemonSet(), 'other'), 'by the number of the template');
  assert.ok(!isUpdated(pod('old'), daemonSet(), 'hash'));
});

test('a required affinity is replaced by the node’s name, and a toleration that is there is not doubled', () => {
  const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'Exists' as const }] }] };
  const preferred = [{ weight: 1, preference: { matchExpressions: [] } }];
  const { spec } = newPod(
    daemonSet({
      template: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: required,
            preferredDuringSchedulingIgnoredDuringExecution: preferred,
          },
        },
        tolerations: [
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
        ],
      },
    }),
    current,
    'a',
  );
  const { nodeAffinity } = spec?.affinity ?? {};
  assert.deepEqual(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution, {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }],
  });
  assert.equal(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution, preferred);
  assert.equal(spec?.tolerations?.length, 6);
  assert.equal(spec?.tolerations?.[0]?.tolerationSeconds, undefined);
});
