import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node } from '@keelson/core/v1';
import { isOurs, nodeStatus, withoutNotReady } from './node-object.ts';

function node(spec: Node['spec'], status: Node['status'] = {}): Node {
  const metadata = { name: 'n', uid: 'n', resourceVersion: '1', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec, status };
}

const [then, later] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-01T00:05:00Z')];

test('each report is a heartbeat, and a transition only when something changed', () => {
  const first = nodeStatus('n', [], then).conditions ?? [];
  assert.deepEqual(
    first.map(({ type, status }) => [type, status]),
    [
      ['MemoryPressure', 'False'],
      ['DiskPressure', 'False'],
      ['PIDPressure', 'False'],
      ['Ready', 'True'],
    ],
  );
  const lost = first.map((each) => (each.type === 'Ready' ? { ...each, status: 'Unknown' } : each));
  const times = (nodeStatus('n', lost, later).conditions ?? []).map((each) => [
    each.lastHeartbeatTime,
    each.lastTransitionTime,
  ]);
  const unchanged = ['2026-01-01T00:05:00Z', '2026-01-01T00:00:00Z'];
  assert.deepEqual(times, [unchanged, unchanged, unchanged, ['2026-01-01T00:05:00Z', '2026-01-01T00:05:00Z']]);
});

test('a node that a real kubelet reports on is not ours', () => {
  const real = { ...nodeStatus('n', [], then).nodeInfo, containerRuntimeVersion: 'containerd://2.0' };
  assert.ok(!isOurs(node({}, { nodeInfo: real as NonNullable<Node['status']['nodeInfo']> })));
  assert.ok(isOurs(node({}, nodeStatus('n', [], then))));
  assert.ok(isOurs(node({})));
});

test('only the taint of nodes that are not ready is taken away', () => {
  const mine = { key: 'gpu', effect: 'NoSchedule' } as const;
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;
  assert.deepEqual(withoutNotReady(node({ taints: [notReady, mine] }))?.spec.taints, [mine]);
  assert.equal(withoutNotReady(node({ taints: [mine] })), undefined);
  assert.equal(withoutNotReady(node({})), undefined);
});
