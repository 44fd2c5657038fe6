/** The rows of the small kinds of the legacy group, of leases and of nodes. */

import type { Lease } from '@keelson/core/coordination/v1';
import type { ConfigMap, Namespace, Node, Secret, Service } from '@keelson/core/v1';
import { age, ageColumn, column, labelsText, named, wide } from '../../../encode/table-columns.ts';
import { readAs } from '../../../object.ts';

export const namespaceTable = named(
  (object, now) => [readAs<Namespace>(object).status?.phase ?? '', age(object, now)],
  column('Status', 'The status of the namespace'),
  ageColumn,
);

export const configMapTable = named(
  (object, now) => {
    const { data, binaryData } = readAs<ConfigMap>(object);
    return [Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length, age(object, now)];
  },
  column('Data', 'How many keys it has.'),
  ageColumn,
);

export const secretTable = named(
  (object, now) => {
    const { type, data } = readAs<Secret>(object);
    return [type ?? '', Object.keys(data ?? {}).length, age(object, now)];
  },
  column('Type', 'What the content is for.'),
  column('Data', 'How many keys it has.'),
  ageColumn,
);

export const leaseTable = named(
  (object, now) => [readAs<Lease>(object).spec?.holderIdentity ?? '', age(object, now)],
  column('Holder', 'Who holds the lease.'),
  ageColumn,
);

function externalAddress({ spec, status }: Service): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case 'LoadBalancer': {
      const ingress = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '');
      return [...ingress, ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return external.join(',') || '<none>';
  }
}

export const serviceTable = named(
  (object, now) => {
    const service = readAs<Service>(object);
    const { spec } = service;
    const ports = (spec?.ports ?? []).map(
      ({ port, nodePort, protocol }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol ?? 'TCP'}`,
    );
    return [
      spec?.type ?? '',
      spec?.clusterIPs?.[0] ?? '<none>',
      externalAddress(service),
      ports.join(',') || '<none>',
      age(object, now),
      labelsText(spec?.selector),
    ];
  },
  column('Type', 'How the service is reached.'),
  column('Cluster-IP', 'Its address inside the cluster.'),
  column('External-IP', 'Its addresses outside the cluster.'),
  column('Port(s)', 'Its ports.'),
  ageColumn,
  wide('Selector', 'Which pods serve it, by their labels.'),
);

const rolePrefix = 'node-role.kubernetes.io/';

export const nodeTable = named(
  (object, now) => {
    const { spec, status, metadata } = readAs<Node>(object);
    const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
    const state = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
    const roles = Object.keys(metadata.labels ?? {})
      .filter((key) => key.startsWith(rolePrefix) && key.length > rolePrefix.length)
      .map((key) => key.slice(rolePrefix.length))
      .sort();
    const info = status?.nodeInfo;
    const address = (type: string) => (status?.addresses ?? []).find((each) => each.type === type)?.address ?? '<none>';
    return [
      spec?.unschedulable ? `${state},SchedulingDisabled` : state,
      roles.join(',') || '<none>',
      age(object, now),
      info?.kubeletVersion ?? '',
      address('InternalIP'),
      address('ExternalIP'),
      info?.osImage || '<unknown>',
      `${info?.kernelVersion || '<unknown>'}${info?.architecture ? ` (${info.architecture})` : ''}`,
      info?.containerRuntimeVersion || '<unknown>',
    ];
  },
  column('Status', 'The status of the node'),
  column('Roles', 'The roles of the node'),
  ageColumn,
  column('Version', 'The version of its kubelet.'),
  wide('Internal-IP', 'Its address inside the cluster.'),
  wide('External-IP', 'Its address outside the cluster.'),
  wide('OS-Image', 'Its operating system.'),
  wide('Kernel-Version', 'Its kernel.'),
  wide('Container-Runtime', 'What runs its containers.'),
);
