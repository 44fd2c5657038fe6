/**
 * The EndpointSlices that say what a hand-made Endpoints object says, and the changes that lead there. Pure.
 *
 * Promises: one slice for each set of ports and family of addresses, with at most a thousand addresses.
 */
import { controllerReference, equalJson } from '@keelson/core';
import type { Endpoint, EndpointPort, EndpointSlice, NewEndpointSlice } from '@keelson/core/discovery/v1';
import { type EndpointPort as CorePort, type EndpointAddress, Endpoints } from '@keelson/core/v1';
import { identityOf, managerLabel, portsKey, type SliceChanges, serviceLabel } from '../endpointslice/slices.ts';
import { triggerAnnotation } from '../service/trigger-times.ts';

export const mirroredBy = 'endpointslicemirroring-controller.k8s.io';
export const maxAddresses = 1000;

const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const unmirroredAnnotations = [triggerAnnotation, 'kubectl.kubernetes.io/last-applied-configuration'];

/** Whether anybody wants it mirrored: not those who say so, nor who used it to elect a leader. */
export const isMirrored = ({ metadata }: Endpoints): boolean =>
  metadata.labels?.[skipLabel] !== 'true' && metadata.annotations?.[leaderAnnotation] === undefined;

interface Group {
  readonly addressType: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Endpoint[];
}

export interface MirrorChanges extends SliceChanges {
  /** Addresses beyond the thousand of their ports. */
  readonly skipped: number;
}

export function mirrorChanges(endpoints: Endpoints, existing: readonly EndpointSlice[]): MirrorChanges {
  const { groups, skipped } = wanted(endpoints);
  const create: NewEndpointSlice[] = [];
  const update: EndpointSlice[] = [];
  const left = new Set(existing);
  for (const [key, group] of groups) {
    const slice = existing.find((each) => keyOf(each.addressType, each.ports ?? []) === key);
    const next = sliceOf(endpoints, group);
    if (slice === undefined) create.push(next);
    else {
      left.delete(slice);
      if (!isSame(slice, next)) update.push(replaced(slice, next));
    }
  }
  // What would be deleted takes the place of what would be made.
  const remove = [...left].filter((slice) => {
    const index = create.findIndex(({ addressType }) => addressType === slice.addressType);
    const [next] = index === -1 ? [] : create.splice(index, 1);
    if (next) update.push(replaced(slice, next));
    return next === undefined;
  });
  return { create, update, remove, skipped };
}

/** Ports whose addresses are the same belong together, in whichever subsets these are listed. */
function wanted({ subsets = [] }: Endpoints): {
  readonly groups: ReadonlyMap<string, Group>;
  readonly skipped: number;
} {
  const byAddresses = new Map<string, { readonly ports: EndpointPort[]; readonly endpoints: readonly Endpoint[] }>();
  for (const { port, endpoints } of byPort(subsets)) {
    const key = JSON.stringify(endpoints.map((each) => `${identityOf(each)} ${each.conditions?.ready}`).sort());
    const same = byAddresses.get(key) ?? { ports: [], endpoints };
    if (port !== undefined) same.ports.push(port);
    byAddresses.set(key, same);
  }
  const groups = new Map<string, Group>();
  let skipped = 0;
  for (const { ports, endpoints } of byAddresses.values()) {
    skipped += Math.max(0, endpoints.length - maxAddresses);
    for (const endpoint of endpoints.slice(0, maxAddresses)) {
      const addressType = endpoint.addresses[0]?.includes(':') ? 'IPv6' : 'IPv4';
      const key = keyOf(addressType, ports);
      const group = groups.get(key) ?? { addressType, ports, endpoints: [] };
      group.endpoints.push(endpoint);
      groups.set(key, group);
    }
  }
  return { groups, skipped };
}

/** What listens on each port, those that are ready first; where an address is listed twice, not ready counts. */
function byPort(subsets: NonNullable<Endpoints['subsets']>) {
  const found = new Map<string, { readonly port: EndpointPort | undefined; readonly known: Map<string, Endpoint> }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length > 0 ? ports.map(portOf) : [undefined]) {
      const { known } = found.get(JSON.stringify(port)) ?? { known: new Map<string, Endpoint>() };
      found.set(JSON.stringify(port), { port, known });
      const listed = [
        ...addresses.map((each) => [each, true] as const),
        ...notReadyAddresses.map((each) => [each, false] as const),
      ];
      for (const [address, ready] of listed) {
        const key = JSON.stringify([address.ip, address.targetRef?.uid]);
        known.set(key, endpointOf(address, ready && known.get(key)?.conditions?.ready !== false));
      }
    }
  }
  const isReady = ({ conditions }: Endpoint) => conditions?.ready === true;
  return [...found.values()].map(({ port, known }) => ({
    port,
    endpoints: [...known.values()].sort((a, b) => Number(isReady(b)) - Number(isReady(a))),
  }));
}

const portOf = ({ name = '', port, protocol, appProtocol }: CorePort): EndpointPort => ({
  name,
  port,
  protocol,
  ...(appProtocol !== undefined && { appProtocol }),
});

const keyOf = (addressType: string, ports: readonly EndpointPort[]): string => `${addressType}-${portsKey(ports)}`;

const endpointOf = ({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(nodeName !== undefined && { nodeName }),
  ...(targetRef !== undefined && { targetRef }),
});

function sliceOf(endpoints: Endpoints, { addressType, ports, endpoints: listed }: Group): NewEndpointSlice {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata;
  const mirrored = Object.entries(annotations).filter(([each]) => !unmirroredAnnotations.includes(each));
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [serviceLabel]: name, [managerLabel]: mirroredBy },
      annotations: Object.fromEntries(mirrored),
      ownerReferences: [controllerReference(Endpoints, endpoints)],
    },
    addressType,
    ports,
    endpoints: listed,
  };
}

function isSame({ metadata, endpoints }: EndpointSlice, next: NewEndpointSlice): boolean {
  const { labels, annotations, ownerReferences } = next.metadata;
  return (
    equalJson(metadata.labels, labels) &&
    equalJson(metadata.annotations ?? {}, annotations) &&
    equalJson(metadata.ownerReferences, ownerReferences) &&
    equalJson(listed(endpoints), listed(next.endpoints))
  );
}

/** In no order. */
const listed = (endpoints: readonly Endpoint[] | null | undefined): Readonly<Record<string, Endpoint>> =>
  Object.fromEntries((endpoints ?? []).map((each) => [identityOf(each), each]));

/** As a whole: as with the real one, that it had a generated name is forgotten. */
function replaced(slice: EndpointSlice, { metadata, ports, endpoints }: NewEndpointSlice): EndpointSlice {
  const { labels, annotations, ownerReferences } = metadata;
  const { generateName: _, ...kept } = slice.metadata;
  return { ...slice, metadata: { ...kept, labels, annotations, ownerReferences }, ports, endpoints };
}
