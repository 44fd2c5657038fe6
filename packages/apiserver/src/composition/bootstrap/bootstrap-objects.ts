/** What every cluster has from its first moment: four namespaces, the API's own service, two priorities, roles. */
import { timestamp } from '@keelson/core';
import type { ApiObject, JsonObject } from '../../object.ts';
import { keyIn } from '../../resource/resource.ts';
import type { Context } from '../../verbs/context.ts';
import { createDefaultRoles } from './default-roles.ts';

const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

const priorities: readonly (readonly [string, number, string])[] = [
  [
    'system-cluster-critical',
    2_000_000_000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ],
  [
    'system-node-critical',
    2_000_001_000,
    'Used for system critical pods that must not be moved from their current node.',
  ],
];

export function createBootstrapObjects(context: Context): void {
  const { store, clock, random } = context;
  const make = (collection: string, apiVersion: string, kind: string, metadata: JsonObject, rest: JsonObject) => {
    const object: ApiObject = {
      apiVersion,
      kind,
      metadata: { ...metadata, uid: random.uuid(), creationTimestamp: timestamp(clock.now()) },
      ...rest,
    };
    const { namespace = '', name = '' } = object.metadata;
    store.create(store.collection(collection), keyIn(namespace, name), object);
  };
  for (const name of namespaces) {
    make(
      'namespaces',
      'v1',
      'Namespace',
      { name, labels: { 'kubernetes.io/metadata.name': name } },
      {
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      },
    );
  }
  make(
    'services',
    'v1',
    'Service',
    { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    {
      spec: {
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
        clusterIP: '10.96.0.1',
        clusterIPs: ['10.96.0.1'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      status: { loadBalancer: {} },
    },
  );
  for (const [name, value, description] of priorities) {
    make(
      'priorityclasses.scheduling.k8s.io',
      'scheduling.k8s.io/v1',
      'PriorityClass',
      { name, generation: 1 },
      {
        value,
        description,
        preemptionPolicy: 'PreemptLowerPriority',
      },
    );
  }
  createDefaultRoles(context);
}
