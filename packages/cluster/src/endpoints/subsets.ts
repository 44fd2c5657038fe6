/** The subsets of an Endpoints object: addresses with the same ports stand together, in one order. Pure. */
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from '@keelson/core/v1';
import { isReady } from '../replicaset/pods.ts';
import { addressesOf, hasAddress, hostnameIn, portOn, targetOf } from '../service/serving-pods.ts';

interface Place {
  readonly address: EndpointAddress;
  readonly isReady: boolean;
  readonly ports: readonly EndpointPort[];
}

export function subsetsOf(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const places = pods.flatMap((pod) => placeOf(service, pod) ?? []);
  const groups = new Map<string, Place[]>();
  for (const place of places) {
    const key = JSON.stringify(place.ports);
    const known = groups.get(key);
    if (known) known.push(place);
    else groups.set(key, [place]);
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => subset(group));
}

function placeOf(service: Service, pod: Pod): Place | undefined {
  const { ports = [], publishNotReadyAddresses: all = false, ipFamilies } = service.spec;
  if (!hasAddress(pod) || (pod.metadata.deletionTimestamp !== undefined && !all)) return undefined;
  const [ip] = addressesOf(pod, ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4');
  const hostname = hostnameIn(pod, service);
  if (ip === undefined) return undefined;
  const served = ports
    .flatMap((port) => {
      const number = portOn(pod, port);
      const { name, protocol = 'TCP', appProtocol } = port;
      if (number === undefined) return [];
      return { ...(name ? { name } : {}), port: number, protocol, ...(appProtocol ? { appProtocol } : {}) };
    })
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  // A headless service need not have ports; of all others, a pod without any serves nothing.
  if (served.length === 0 && !(ports.length === 0 && service.spec.clusterIP === 'None')) return undefined;
  const nodeName = pod.spec.nodeName ?? '';
  const address = { ip, ...(hostname ? { hostname } : {}), nodeName, targetRef: targetOf(pod) };
  return { address, isReady: all || isReady(pod), ports: served };
}

function subset(group: readonly Place[]): EndpointSubset {
  const sorted = [...group].sort((a, b) => byAddress(a.address, b.address));
  const of = (wanted: boolean) => sorted.filter((each) => each.isReady === wanted).map(({ address }) => address);
  const [addresses, notReadyAddresses, ports] = [of(true), of(false), group[0]?.ports ?? []];
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

function byAddress(a: EndpointAddress, b: EndpointAddress): number {
  const [left, right] = [a, b].map(({ ip }) => (ip.split('.').length === 4 ? ip.split('.').map(Number) : []));
  const difference = left?.map((part, index) => part - (right?.[index] ?? 0)).find((each) => each !== 0);
  return difference ?? (a.ip < b.ip ? -1 : a.ip > b.ip ? 1 : 0);
}

/** The same addresses and ports, whatever their order: a server sorts ports by a hash of its own. */
export function isSame(a: readonly EndpointSubset[] = [], b: readonly EndpointSubset[] = []): boolean {
  return canonical(a) === canonical(b);
}

function canonical(subsets: readonly EndpointSubset[]): string {
  const text = (list: readonly unknown[] = []) => list.map((each) => JSON.stringify(sorted(each))).sort();
  return text(
    subsets.map(({ addresses, notReadyAddresses, ports }) => [text(addresses), text(notReadyAddresses), text(ports)]),
  ).join();
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
