/** What is told of services: which addresses their Endpoints and EndpointSlices list, and as what. */
import type { Client } from '@keelson/client';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { EndpointSlice } from '@keelson/core/discovery/v1';
import { Endpoints, Pod, Service, type ServiceSpec } from '@keelson/core/v1';
import { eventually } from '../eventually.ts';
import { type Chapter, labels, template } from '../story.ts';

const ports = [
  { name: 'http', port: 80, targetPort: 'web' },
  { name: 'metrics', port: 9090, targetPort: 9090, protocol: 'TCP' as const },
];

const newService = (client: Client, namespace: string, name: string, spec: ServiceSpec = {}) =>
  client.create(Service, {
    metadata: { namespace, name, labels: { tier: 'front' } },
    spec: { selector: labels, ports, ...spec },
  });

const newPods = (client: Client, namespace: string, replicas: number, spec: object = {}) => {
  const containers = [{ name: 'web', image: 'web:1', ports: [{ name: 'web', containerPort: 8080 }] }];
  return client.create(ReplicaSet, {
    metadata: { namespace, name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...template('web:1'), spec: { ...template('web:1').spec, containers, ...spec } },
    },
  });
};

/** In the annotations there is a time, or none, by which changes were seen together. */
const volatile = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'generation', 'annotations']);

/** Names and addresses of pods are random, and so is the order in which they are listed. */
const plain = (value: unknown): unknown => {
  const text = JSON.stringify(value, (name, member) => (volatile.has(name) ? undefined : member));
  return sorted(JSON.parse(text.replaceAll(/"web-\w{5}"/g, '"web-POD"').replaceAll(/10\.244\.\d+\.\d+/g, 'ADDRESS')));
};

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, each]) => [name, sorted(each)]),
  );
}

/** When the slices of each service list so many endpoints, and so many of them are ready, what all of them say. */
const listed = (client: Client, namespace: string, total: number, ready: number) =>
  eventually(`${total} endpoints, ${ready} of them ready`, async () => {
    const services = (await client.list(Service, { namespace })).items;
    const slices = (await client.list(EndpointSlice, { namespace })).items;
    const endpoints = (await client.list(Endpoints, { namespace })).items;
    const isDone = services.every(({ metadata, spec }) => {
      const own = slices.filter((each) => each.metadata.labels?.['kubernetes.io/service-name'] === metadata.name);
      const all = own.flatMap((each) => each.endpoints ?? []);
      const subsets = endpoints.find((each) => each.metadata.name === metadata.name)?.subsets ?? [];
      const offered = spec.publishNotReadyAddresses ? total : ready;
      return (
        own.length > 0 &&
        all.length === total &&
        all.filter(({ conditions }) => conditions?.ready).length === offered &&
        // Where all are offered, whether they serve may become known later.
        all.filter(({ conditions }) => conditions?.serving).length === ready &&
        subsets.flatMap(({ addresses = [] }) => addresses).length === offered &&
        subsets.flatMap(({ notReadyAddresses = [] }) => notReadyAddresses).length === total - offered
      );
    });
    const named = slices.map((slice) => ({ ...slice, metadata: { ...slice.metadata, name: '' } }));
    return isDone && endpoints.length === services.length && plain([named, endpoints]);
  });

export const services: Readonly<Record<string, Chapter>> = {
  'services of every sort': async (client, namespace) => {
    await newService(client, namespace, 'plain');
    await newService(client, namespace, 'headless', { clusterIP: 'None' });
    await newService(client, namespace, 'portless', { clusterIP: 'None', ports: [] });
    await newService(client, namespace, 'early', { publishNotReadyAddresses: true });
    const empty = await listed(client, namespace, 0, 0);
    await newPods(client, namespace, 2);
    const both = await listed(client, namespace, 2, 2);
    await client.patch(ReplicaSet, `${namespace}/web`, { spec: { replicas: 1 } });
    const one = await listed(client, namespace, 1, 1);
    await client.patch(Service, `${namespace}/plain`, { metadata: { labels: { tier: 'back' } } });
    await eventually('the new label', async () => {
      const { items } = await client.list(EndpointSlice, { namespace, labels: { tier: 'back' } });
      const { metadata } = await client.get(Endpoints, `${namespace}/plain`);
      return items.length === 1 && metadata.labels?.tier === 'back';
    });
    return [empty, both, one, await listed(client, namespace, 1, 1)];
  },
  'pods that are not ready, and pods with names': async (client, namespace) => {
    await newService(client, namespace, 'peers', { clusterIP: 'None', publishNotReadyAddresses: true });
    await newService(client, namespace, 'plain');
    const waiting = { readinessGates: [{ conditionType: 'example.com/never' }] };
    await newPods(client, namespace, 1, { ...waiting, hostname: 'first', subdomain: 'peers' });
    const unready = await listed(client, namespace, 1, 0);
    await client.delete(Service, `${namespace}/peers`);
    await eventually('the end of its endpoints', async () => {
      const { items } = await client.list(EndpointSlice, { namespace });
      return items.length === 1 && (await client.find(Endpoints, `${namespace}/peers`)) === undefined;
    });
    await client.delete(ReplicaSet, `${namespace}/web`);
    await eventually('the last pod to go', async () => (await client.list(Pod, { namespace })).items.length === 0);
    return [unready, await listed(client, namespace, 0, 0)];
  },
  'endpoints made by hand': async (client, namespace) => {
    await newService(client, namespace, 'plain', { selector: undefined });
    const key = `${namespace}/plain`;
    const [http, metrics] = [
      { name: 'http', port: 80, protocol: 'TCP' as const },
      { name: 'metrics', port: 9090, protocol: 'TCP' as const },
    ];
    await client.create(Endpoints, {
      metadata: { namespace, name: 'plain', labels: { tier: 'front' }, annotations: { note: 'by hand' } },
      subsets: [
        {
          addresses: [{ ip: '10.1.0.1', hostname: 'first' }, { ip: 'fd00::1' }],
          notReadyAddresses: [{ ip: '10.1.0.2' }],
          ports: [http],
        },
        { addresses: [{ ip: '10.1.0.3' }], ports: [http, metrics] },
      ],
    });
    const mirrored = (count: number, addresses: number) =>
      eventually(`${count} slices of ${addresses} addresses`, async () => {
        const slices = (await client.list(EndpointSlice, { namespace })).items;
        const all = slices.flatMap((each) => each.endpoints ?? []);
        const notes = slices.map(({ metadata }) => metadata.annotations);
        const named = slices.map((slice) => ({ ...slice, metadata: { ...slice.metadata, name: '' } }));
        return slices.length === count && all.length === addresses && [plain(named), notes];
      });
    const states = [await mirrored(3, 5)];
    await client.patch(Endpoints, key, { subsets: [{ addresses: [{ ip: '10.1.0.9' }], ports: [metrics] }] });
    states.push(await mirrored(1, 1));
    const skip = 'endpointslice.kubernetes.io/skip-mirror';
    await client.patch(Endpoints, key, { metadata: { labels: { [skip]: 'true' } } });
    states.push(await mirrored(0, 0));
    await client.patch(Endpoints, key, { metadata: { labels: { [skip]: null } } });
    states.push(await mirrored(1, 1));
    await client.delete(Endpoints, key);
    return [...states, await mirrored(0, 0)];
  },
};
