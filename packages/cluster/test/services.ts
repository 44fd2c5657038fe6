/** Services and the pods behind them, for tables. */
import type { Node, Pod, Service } from '@keelson/core/v1';
import { type PodChanges, pod, readySince } from './pods.ts';

export function service(spec: Partial<Service['spec']> = {}, metadata: Partial<Service['metadata']> = {}): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'service',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      clusterIP: '10.96.0.7',
      ipFamilies: ['IPv4'],
      selector: { app: 'web' },
      ports: [{ name: 'http', port: 80, targetPort: 'web', protocol: 'TCP' }],
      ...spec,
    },
    status: {},
  };
}

/** A ready pod at 10.244.0.`number`, with a port of that name. */
export function server(number: number, { metadata, spec, status }: PodChanges = {}): Pod {
  const podIP = `10.244.0.${number}`;
  return pod(`pod-${number}`, {
    metadata: { ...metadata },
    spec: {
      containers: [{ name: 'web', image: 'web:1', ports: [{ name: 'web', containerPort: 8080, protocol: 'TCP' }] }],
      ...spec,
    },
    status: { ...readySince('2026-01-01T00:00:00Z'), podIP, podIPs: [{ ip: podIP }], ...status },
  });
}

export const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node',
    uid: 'node',
    resourceVersion: '1',
    creationTimestamp: '',
    labels: { 'topology.kubernetes.io/zone': 'z' },
  },
  spec: {},
  status: {},
};
