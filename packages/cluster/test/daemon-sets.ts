/** DaemonSets and nodes for tables. */
import type { DaemonSet } from '@keelson/core/apps/v1';
import type { Node } from '@keelson/core/v1';

const labels = { app: 'web' };
const base = { resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };

type Changes = {
  readonly spec?: Partial<DaemonSet['spec']>;
  readonly template?: Partial<NonNullable<DaemonSet['spec']['template']['spec']>>;
};

export function daemonSet({ spec, template }: Changes = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: {
      ...base,
      name: 'web',
      namespace: 'default',
      uid: 'set',
      generation: 1,
      annotations: { 'deprecated.daemonset.template.generation': '2' },
    },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }], ...template } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  };
}

export function nodeNamed(name: string, spec: Node['spec'] = {}): Node {
  const metadata = { ...base, name, uid: name, labels: { 'kubernetes.io/hostname': name } };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec, status: {} };
}
