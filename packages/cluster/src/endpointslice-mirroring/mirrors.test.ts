import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EndpointSlice } from '@keelson/core/discovery/v1';
import type { Endpoints } from '@keelson/core/v1';
import { isMirrored, maxAddresses, mirrorChanges } from './mirrors.ts';

const http = { name: 'http', port: 80, protocol: 'TCP' as const };
const metrics = { name: 'metrics', port: 9090, protocol: 'TCP' as const };

function endpoints(subsets: Endpoints['subsets'], metadata: Partial<Endpoints['metadata']> = {}): Endpoints {
  const own = { namespace: 'default', name: 'web', uid: 'e', resourceVersion: '1', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Endpoints', metadata: { ...own, ...metadata }, subsets };
}

/** As the server would have made them. */
const made = (of: Endpoints): readonly EndpointSlice[] =>
  mirrorChanges(of, []).create.map((slice, index) => ({
    ...slice,
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...slice.metadata,
      namespace: 'default',
      name: `web-${index}`,
      uid: '',
      resourceVersion: '1',
      creationTimestamp: '',
    },
  }));

const summary = (slices: readonly Pick<EndpointSlice, 'addressType' | 'ports' | 'endpoints'>[]) =>
  slices.map(({ addressType, ports, endpoints: listed }) => [
    addressType,
    (ports ?? []).map(({ port }) => port),
    (listed ?? []).map(({ addresses, conditions }) => `${addresses} ${conditions?.ready}`),
  ]);

test('a slice for each family and for all ports that have the same addresses', () => {
  const { create } = mirrorChanges(
    endpoints([
      { addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [http] },
      { addresses: [{ ip: '10.0.0.3' }], ports: [http, metrics, { ...metrics, name: 'more', port: 9091 }] },
    ]),
    [],
  );
  assert.deepEqual(summary(create), [
    ['IPv4', [80], ['10.0.0.1 true', '10.0.0.3 true', '10.0.0.2 false']],
    ['IPv6', [80], ['fd00::1 true']],
    ['IPv4', [9090, 9091], ['10.0.0.3 true']],
  ]);
});

test('an address that is listed as ready and as not ready is not, and ports may be missing', () => {
  const { create } = mirrorChanges(
    endpoints([{ notReadyAddresses: [{ ip: '10.0.0.1' }] }, { addresses: [{ ip: '10.0.0.1' }] }]),
    [],
  );
  assert.deepEqual(summary(create), [['IPv4', [], ['10.0.0.1 false']]]);
});

test('labels and annotations are mirrored, but for those that are about the object itself', () => {
  const annotations = { note: 'x', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
  const { create } = mirrorChanges(
    endpoints([{ addresses: [{ ip: '10.0.0.1', hostname: 'a', nodeName: 'n' }], ports: [http] }], {
      labels: { tier: 'front' },
      annotations,
    }),
    [],
  );
  assert.deepEqual(create[0]?.metadata.labels, {
    tier: 'front',
    'kubernetes.io/service-name': 'web',
    'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io',
  });
  assert.deepEqual(create[0]?.metadata.annotations, { note: 'x' });
  assert.deepEqual(create[0]?.endpoints, [
    { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'a', nodeName: 'n' },
  ]);
});

test('what is the same is left alone, what differs is changed in place, what is not wanted goes', () => {
  const before = endpoints([{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [http] }]);
  const existing = made(before);
  const none = { create: [], update: [], remove: [], skipped: 0 };
  assert.deepEqual(mirrorChanges(before, existing), none);
  const reversed = endpoints([{ addresses: [{ ip: '10.0.0.2' }, { ip: '10.0.0.1' }], ports: [http] }]);
  assert.deepEqual(mirrorChanges(reversed, existing), none);
  const fewer = mirrorChanges(endpoints([{ addresses: [{ ip: '10.0.0.1' }], ports: [http] }]), existing);
  assert.deepEqual([fewer.create, fewer.remove], [[], []]);
  assert.deepEqual(summary(fewer.update), [['IPv4', [80], ['10.0.0.1 true']]]);
  const moved = mirrorChanges(endpoints([{ addresses: [{ ip: '10.0.0.1' }], ports: [metrics] }]), existing);
  assert.deepEqual(
    [moved.create, moved.remove, summary(moved.update)],
    [[], [], [['IPv4', [9090], ['10.0.0.1 true']]]],
  );
  assert.equal(moved.update[0]?.metadata.name, 'web-0');
  const another = { ...before, metadata: { ...before.metadata, uid: 'other' } };
  assert.equal(mirrorChanges(another, existing).update[0]?.metadata.ownerReferences?.[0]?.uid, 'other');
  assert.deepEqual(mirrorChanges(endpoints([]), existing).remove, existing);
});

test('what is beyond a thousand addresses is counted', () => {
  const addresses = Array.from({ length: maxAddresses + 2 }, (_, index) => ({
    ip: `10.1.${index >> 8}.${index & 255}`,
  }));
  const { create, skipped } = mirrorChanges(endpoints([{ addresses, ports: [http] }]), []);
  assert.deepEqual([create[0]?.endpoints?.length, skipped], [maxAddresses, 2]);
});

test('who says so, and who elects a leader, is not mirrored', () => {
  assert.ok(isMirrored(endpoints([])));
  assert.ok(!isMirrored(endpoints([], { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } })));
  assert.ok(!isMirrored(endpoints([], { annotations: { 'control-plane.alpha.kubernetes.io/leader': '' } })));
});
