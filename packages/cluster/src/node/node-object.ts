/** The simulated node as the API server shows it: ready, roomy, and plainly not a machine. */
import { timestamp } from '@keelson/core';
import type { NewNode, Node, NodeCondition, NodeStatus, Taint } from '@keelson/core/v1';

/** From the range for documentation (RFC 5737): nothing answers there. */
export const nodeAddress = '192.0.2.1';

/** By which a simulated node is recognised. */
const runtimeVersion = 'simulated://1';

export function newNode(name: string): NewNode {
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    spec: {},
  };
}

export const room: Readonly<Record<string, string>> = {
  cpu: '1000',
  memory: '1000Gi',
  'ephemeral-storage': '1000Gi',
  pods: '10000',
};

export function nodeStatus(name: string, current: readonly NodeCondition[], wallMs: number): NodeStatus {
  const now = timestamp(wallMs);
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const previous = current.find((each) => each.type === type);
    const lastTransitionTime = previous?.status === status ? previous.lastTransitionTime : now;
    return { type, status, reason, message, lastHeartbeatTime: now, lastTransitionTime };
  };
  return {
    addresses: [
      { type: 'InternalIP', address: nodeAddress },
      { type: 'Hostname', address: name },
    ],
    capacity: room,
    allocatable: room,
    conditions: [
      condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
      condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
      condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    nodeInfo: {
      architecture: 'amd64',
      bootID: '',
      containerRuntimeVersion: runtimeVersion,
      kernelVersion: '',
      kubeProxyVersion: '',
      kubeletVersion: 'simulated',
      machineID: '',
      operatingSystem: 'linux',
      osImage: 'simulated',
      systemUUID: '',
    },
  };
}

/** A node that never reported is anybody's; one that a real kubelet reports on is not ours to touch. */
export function isOurs({ status }: Node): boolean {
  const version = status.nodeInfo?.containerRuntimeVersion ?? '';
  return version === '' || version === runtimeVersion;
}

/** What the node lifecycle controller says of a node of which nothing was heard for a while. */
export function unreachable(node: Node, wallMs: number): Node {
  const now = timestamp(wallMs);
  const conditions = (node.status.conditions ?? []).map((condition) => ({
    ...condition,
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: condition.status === 'Unknown' ? condition.lastTransitionTime : now,
  }));
  return { ...node, status: { ...node.status, conditions } };
}

/** With the taints of such a node. */
export function tainted(node: Node, wallMs: number): Node {
  const taints = [
    ...withoutOwnTaints(node),
    { key: unreachableTaint, effect: 'NoSchedule' as const, timeAdded: timestamp(wallMs) },
    { key: unreachableTaint, effect: 'NoExecute' as const, timeAdded: timestamp(wallMs) },
  ];
  return { ...node, spec: { ...node.spec, taints } };
}

const notReady = 'node.kubernetes.io/not-ready';
const unreachableTaint = 'node.kubernetes.io/unreachable';

/**
 * The server taints every new node until it is ready, and the node lifecycle controller takes that away. Where there is
 * none, nothing would; `undefined` when there is nothing to take away.
 */
export function withoutNotReady(node: Node): Node | undefined {
  const taints = withoutOwnTaints(node);
  return taints.length === (node.spec.taints ?? []).length ? undefined : { ...node, spec: { ...node.spec, taints } };
}

const withoutOwnTaints = ({ spec }: Node): readonly Taint[] =>
  (spec.taints ?? []).filter(({ key }) => key !== notReady && key !== unreachableTaint);
