/** Which pods serve a service, and where: what Endpoints and EndpointSlices have in common. Pure. */
import { equalJson } from '@keelson/core';
import type { Pod, Service, ServicePort } from '@keelson/core/v1';
import { isReady } from '../replicaset/pods.ts';

export const headlessLabel = 'service.kubernetes.io/headless';

/** Services with a selector; to the others somebody else gives endpoints. */
export const isServed = ({ spec }: Service): boolean => spec.type !== 'ExternalName' && spec.selector !== undefined;

/** Without an address of its own. */
export const isHeadless = ({ spec }: Service): boolean => !spec.clusterIP || spec.clusterIP === 'None';

export function selects({ metadata, spec }: Service, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace &&
    Object.entries(spec.selector ?? {}).every(([name, value]) => pod.metadata.labels?.[name] === value)
  );
}

/** It has an address, and has not ended. */
export const hasAddress = ({ status }: Pod): boolean =>
  status.phase !== 'Succeeded' &&
  status.phase !== 'Failed' &&
  (Boolean(status.podIP) || (status.podIPs ?? []).length > 0);

export const addressesOf = ({ status }: Pod, family: 'IPv4' | 'IPv6'): readonly string[] =>
  (status.podIPs ?? []).map(({ ip }) => ip).filter((ip) => ip.includes(':') === (family === 'IPv6'));

/** A pod that was told its host name in the domain of this very service. */
export const hostnameIn = ({ metadata, spec }: Pod, service: Service): string | undefined =>
  spec.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace
    ? spec.hostname
    : undefined;

/** The number of the port on which a pod serves; `undefined` when it has none of that name. */
export function portOn({ spec }: Pod, { targetPort, protocol, port }: ServicePort): number | undefined {
  if (typeof targetPort !== 'string') return targetPort ?? port;
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === (protocol ?? 'TCP'))?.containerPort;
}

export const targetOf = ({ metadata }: Pod) => ({
  kind: 'Pod',
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
});

/** Whether a change of a pod is one for those who list its address. */
export function isMoved(before: Pod, after: Pod): boolean {
  const facts = (pod: Pod) => [
    pod.metadata.labels,
    pod.metadata.deletionTimestamp,
    pod.spec.hostname,
    pod.spec.subdomain,
    hasAddress(pod),
    isReady(pod),
    pod.status.podIPs,
  ];
  return !equalJson(facts(before), facts(after));
}
