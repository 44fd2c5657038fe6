import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSlice, NewEndpointSlice } from '@keelson/core/discovery/v1';
import type { Pod, Service } from '@keelson/core/v1';
import { node, server, service } from '../../test/services.ts';
import { changesFor } from './slices.ts';

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => server(from + index));
const stored = ({ metadata, ...slice }: NewEndpointSlice, name: string): EndpointSlice => ({
  ...slice,
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...metadata, namespace: 'default', name, uid: name, resourceVersion: '1', creationTimestamp: '' },
});
const changes = (subject: Service, pods: readonly Pod[], existing: readonly EndpointSlice[] = []) =>
  changesFor(subject, pods, (name) => (name === 'node' ? node : undefined), existing);
/** What a service with these pods has once nothing changes any more. */
const settled = (pods: readonly Pod[]) =>
  changes(service(), pods).create.map((each, index) => stored(each, `s${index}`));
const sizes = (slices: readonly (NewEndpointSlice | EndpointSlice)[]) =>
  slices.map(({ endpoints }) => endpoints?.length ?? 0);

test('an endpoint says where a pod is, whether it serves and whether it goes', () => {
  const [slice] = changes(service({}, { labels: { tier: 'x' } }), [server(1)]).create;
  assert.deepEqual(slice?.endpoints, [
    {
      addresses: ['10.244.0.1'],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: 'default', name: 'pod-1', uid: 'pod-1' },
      nodeName: 'node',
      zone: 'z',
    },
  ]);
  assert.deepEqual(slice?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
  assert.deepEqual(slice?.metadata.labels, {
    tier: 'x',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
  });
  const going = server(1, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  const conditionsOf = (subject: Service) => changes(subject, [going]).create[0]?.endpoints?.[0]?.conditions;
  assert.deepEqual(conditionsOf(service()), { ready: false, serving: true, terminating: true });
  assert.deepEqual(conditionsOf(service({ publishNotReadyAddresses: true })), {
    ready: true,
    serving: true,
    terminating: true,
  });
});

test('a slice has at most a hundred endpoints, and keeps those that it has', () => {
  assert.deepEqual(sizes(changes(service(), range(1, 150)).create), [100, 50]);
  const [full, half] = settled(range(1, 150));
  assert.ok(full && half);
  const more = changes(service(), range(1, 160), [full, half]);
  assert.deepEqual([sizes(more.create), sizes(more.update), more.update[0]?.metadata.name], [[], [60], 's1']);
  const fewer = changes(service(), range(2, 149), [full, half]);
  assert.deepEqual([sizes(fewer.update), fewer.update[0]?.metadata.name, fewer.remove], [[99], 's0', []]);
  assert.deepEqual(changes(service(), range(1, 150), [full, half]), { create: [], update: [], remove: [] });
});

test('a service without endpoints has one slice that says so', () => {
  const empty = changes(service(), []).create;
  assert.deepEqual(
    empty.map(({ endpoints, ports }) => [endpoints, ports]),
    [[[], []]],
  );
  const placeholder = empty.map((each) => stored(each, 'p'));
  assert.deepEqual(changes(service(), [], placeholder), { create: [], update: [], remove: [] });
  const filled = changes(service(), [server(1)], placeholder);
  assert.deepEqual([filled.create, sizes(filled.update), filled.remove], [[], [1], []]);
});

test('labels follow the service, and slices of another owner or address type go', () => {
  const existing = settled([server(1)]);
  const relabelled = changes(service({}, { labels: { tier: 'new' } }), [server(1)], existing);
  assert.equal(relabelled.update[0]?.metadata.labels?.tier, 'new');
  const later = changes(service({}, { uid: 'later' }), [server(1)], existing);
  assert.deepEqual([sizes(later.create), later.remove.length], [[1], 1]);
  const foreign = existing.map((each) => ({ ...each, addressType: 'IPv6' as const }));
  assert.equal(changes(service(), [server(1)], foreign).remove.length, 1);
  assert.equal(
    changes(service({ clusterIP: 'None' }), []).create[0]?.metadata.labels?.['service.kubernetes.io/headless'],
    '',
  );
});

test('a pod on a node that is not there is left out, unless everything is published', () => {
  const lost = server(1, { spec: { nodeName: 'gone' } });
  assert.deepEqual(sizes(changes(service(), [lost]).create), [0]);
  assert.deepEqual(sizes(changes(service({ publishNotReadyAddresses: true }), [lost]).create), [1]);
});
