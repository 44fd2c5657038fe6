/**
 * The EndpointSlices of a service: what its pods should be listed in, and the fewest changes that lead there. Pure.
 *
 * Promises: an endpoint stays in its slice as long as it is wanted; a slice has at most a hundred; a service without
 * endpoints has one slice that says so.
 */
import { controllerReference, equalJson } from '@keelson/core';
import type { Endpoint, EndpointPort, EndpointSlice, NewEndpointSlice } from '@keelson/core/discovery/v1';
import { type Node, type Pod, Service } from '@keelson/core/v1';
import { isReady } from '../replicaset/pods.ts';
import {
  addressesOf,
  hasAddress,
  headlessLabel,
  hostnameIn,
  isHeadless,
  portOn,
  targetOf,
} from '../service/serving-pods.ts';

export const managedBy = 'endpointslice-controller.k8s.io';
export const serviceLabel = 'kubernetes.io/service-name';
export const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const reserved: readonly string[] = [serviceLabel, managerLabel, headlessLabel];

const maxEndpoints = 100;

export interface SliceChanges {
  readonly create: readonly NewEndpointSlice[];
  readonly update: readonly EndpointSlice[];
  readonly remove: readonly EndpointSlice[];
}

type AddressType = 'IPv4' | 'IPv6';

export function changesFor(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
  existing: readonly EndpointSlice[],
): SliceChanges {
  const types: readonly AddressType[] = (service.spec.ipFamilies ?? ['IPv4']) as readonly AddressType[];
  const byType = types.map((type) =>
    changesOf(
      service,
      type,
      existing.filter((each) => each.addressType === type),
      wanted(service, pods, nodeOf, type),
    ),
  );
  const foreign = existing.filter((each) => !types.includes(each.addressType as AddressType));
  return {
    create: byType.flatMap(({ create }) => create),
    update: byType.flatMap(({ update }) => update),
    remove: [...byType.flatMap(({ remove }) => remove), ...foreign],
  };
}

interface Group {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** By their ports, since pods may have different numbers for the same name. */
function wanted(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
  type: AddressType,
): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group & { readonly endpoints: Endpoint[] }>();
  for (const pod of pods.filter(hasAddress)) {
    const node = nodeOf(pod.spec.nodeName ?? '');
    if (!node && !service.spec.publishNotReadyAddresses) continue;
    const endpoint = endpointOf(service, pod, node, type);
    const ports = portsOf(service, pod);
    const group = groups.get(portsKey(ports)) ?? { ports, endpoints: [] };
    if (endpoint) group.endpoints.push(endpoint);
    groups.set(portsKey(ports), group);
  }
  return groups;
}

function portsOf({ spec }: Service, pod: Pod): readonly EndpointPort[] {
  return (spec.ports ?? []).flatMap((each) => {
    const port = portOn(pod, each);
    const { name = '', protocol = 'TCP', appProtocol } = each;
    return port === undefined ? [] : { name, port, protocol, ...(appProtocol ? { appProtocol } : {}) };
  });
}

function endpointOf(service: Service, pod: Pod, node: Node | undefined, type: AddressType): Endpoint | undefined {
  const addresses = addressesOf(pod, type);
  if (addresses.length === 0) return undefined;
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const ready = service.spec.publishNotReadyAddresses === true || (serving && !terminating);
  const hostname = hostnameIn(pod, service);
  const zone = node?.metadata.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: targetOf(pod),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/** Ports are the same whatever their order. */
export const portsKey = (ports: readonly EndpointPort[] | null = []): string =>
  (ports ?? [])
    .map(({ name = '', port, protocol, appProtocol = '' }) => JSON.stringify([name, port, protocol, appProtocol]))
    .sort()
    .join();

export const identityOf = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([[...addresses].sort(), hostname ?? '', targetRef?.namespace ?? '', targetRef?.name ?? '']);

const endpointsIn = ({ endpoints }: EndpointSlice): readonly Endpoint[] => endpoints ?? [];

function changesOf(
  service: Service,
  addressType: AddressType,
  existing: readonly EndpointSlice[],
  groups: ReadonlyMap<string, Group>,
): SliceChanges {
  const isOurs = ({ metadata }: EndpointSlice) =>
    metadata.ownerReferences?.some(({ uid, kind }) => uid === service.metadata.uid && kind === Service.kind) === true;
  const ours = existing.filter(isOurs);
  const draft: { create: NewEndpointSlice[]; update: EndpointSlice[]; remove: EndpointSlice[] } = {
    create: [],
    update: [],
    remove: existing.filter((each) => !isOurs(each)),
  };
  for (const [key, group] of groups) {
    const changes = packed(
      service,
      addressType,
      group,
      ours.filter(({ ports }) => portsKey(ports) === key),
    );
    draft.create.push(...changes.create);
    draft.update.push(...changes.update);
    draft.remove.push(...changes.remove);
  }
  draft.remove.push(...ours.filter(({ ports }) => !groups.has(portsKey(ports))));
  if (existing.length === draft.remove.length && draft.create.length === 0) {
    const placeholder = newSlice(service, addressType, [], []);
    const [only] = draft.remove;
    const isThere = draft.remove.length === 1 && only && isOurs(only) && isPlaceholder(only, placeholder);
    if (isThere) draft.remove = [];
    else draft.create.push(placeholder);
  }
  return reused(draft, isOurs);
}

const isPlaceholder = (slice: EndpointSlice, { metadata }: NewEndpointSlice): boolean =>
  endpointsIn(slice).length === 0 && portsKey(slice.ports) === '' && equalJson(slice.metadata.labels, metadata.labels);

/** Keeps endpoints where they are, then fills what changes anyway, then one that has room, then new ones. */
function packed(
  service: Service,
  addressType: AddressType,
  { ports, endpoints }: Group,
  existing: readonly EndpointSlice[],
): SliceChanges {
  const left = new Map(endpoints.map((each) => [identityOf(each), each]));
  const labels = labelsFor(service);
  const take = (count: number) => {
    const taken = [...left].slice(0, count);
    for (const [identity] of taken) left.delete(identity);
    return taken.map(([, endpoint]) => endpoint);
  };
  const kept = existing.map((slice) => {
    const staying = endpointsIn(slice).flatMap((each) => {
      const now = left.get(identityOf(each));
      left.delete(identityOf(each));
      return now ? [{ now, isSame: equalJson(comparable(now), comparable(each)) }] : [];
    });
    const isSame = staying.length === endpointsIn(slice).length && staying.every((each) => each.isSame);
    return {
      slice,
      endpoints: staying.map(({ now }) => now),
      isSame,
      isLabelled: equalJson(slice.metadata.labels, labels),
    };
  });
  const remove = kept.filter((each) => !each.isSame && each.endpoints.length === 0).map(({ slice }) => slice);
  const changed = kept
    .filter((each) => (!each.isSame && each.endpoints.length > 0) || (each.isSame && !each.isLabelled))
    .sort((a, b) => b.endpoints.length - a.endpoints.length);
  const update = changed.map(({ slice, endpoints: staying }) =>
    changedSlice(slice, labels, [...staying, ...take(maxEndpoints - staying.length)]),
  );
  const [roomy] = kept
    .filter((each) => each.isSame && each.isLabelled && each.endpoints.length + left.size <= maxEndpoints)
    .sort((a, b) => b.endpoints.length - a.endpoints.length);
  if (left.size > 0 && roomy)
    update.push(changedSlice(roomy.slice, labels, [...roomy.endpoints, ...take(maxEndpoints)]));
  const create: NewEndpointSlice[] = [];
  while (left.size > 0) create.push(newSlice(service, addressType, ports, take(maxEndpoints)));
  return { create, update, remove };
}

/** The pod's version is not part of what others see. */
const comparable = ({ targetRef, ...rest }: Endpoint) => ({
  ...rest,
  targetRef: { ...targetRef, resourceVersion: undefined },
});

const changedSlice = (
  slice: EndpointSlice,
  labels: Readonly<Record<string, string>>,
  endpoints: readonly Endpoint[],
): EndpointSlice => ({ ...slice, metadata: { ...slice.metadata, labels }, endpoints });

/** What would be deleted takes the place of what would be made. */
function reused(changes: SliceChanges, isOurs: (slice: EndpointSlice) => boolean): SliceChanges {
  const create = [...changes.create];
  const update = [...changes.update];
  const remove = changes.remove.filter((slice) => {
    const next = isOurs(slice) ? create.pop() : undefined;
    if (!next) return true;
    const { endpoints, ports, metadata } = next;
    update.push({ ...slice, metadata: { ...slice.metadata, labels: metadata.labels }, endpoints, ports });
    return false;
  });
  return { create, update, remove };
}

function newSlice(
  service: Service,
  addressType: AddressType,
  ports: readonly EndpointPort[],
  endpoints: readonly Endpoint[],
): NewEndpointSlice {
  const { name, namespace } = service.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsFor(service),
      ownerReferences: [controllerReference(Service, service)],
    },
    addressType,
    ports,
    endpoints,
  };
}

/** The service's own, but for those by which slices are found. */
function labelsFor(service: Service): Readonly<Record<string, string>> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([name]) => !reserved.includes(name));
  return {
    ...Object.fromEntries(own),
    ...(isHeadless(service) ? { [headlessLabel]: '' } : {}),
    [serviceLabel]: service.metadata.name,
    [managerLabel]: managedBy,
  };
}
