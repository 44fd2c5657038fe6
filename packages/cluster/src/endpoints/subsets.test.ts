import assert from 'node:assert/strict';
import { test } from 'node:test';
import { server, service } from '../../test/services.ts';
import { isSame, subsetsOf } from './subsets.ts';

const unready = { status: { conditions: [] } };
const going = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };
const ips = (subsets: ReturnType<typeof subsetsOf>) =>
  subsets.map(({ addresses = [], notReadyAddresses = [] }) =>
    [addresses, notReadyAddresses].map((list) => list.map(({ ip }) => ip)),
  );

test('addresses with the same ports stand together, sorted, ready and not', () => {
  const [subset, ...others] = subsetsOf(service(), [server(10), server(9), server(3, unready), server(4, going)]);
  assert.deepEqual(others, []);
  assert.deepEqual(ips([subset ?? {}]), [[['10.244.0.9', '10.244.0.10'], ['10.244.0.3']]]);
  assert.deepEqual(subset?.ports, [{ name: 'http', port: 8080, protocol: 'TCP' }]);
  assert.deepEqual(subset?.addresses?.[0], {
    ip: '10.244.0.9',
    nodeName: 'node',
    targetRef: { kind: 'Pod', namespace: 'default', name: 'pod-9', uid: 'pod-9' },
  });
});

test('pods with other numbers for the same name are a subset of their own', () => {
  const containers = [
    { name: 'web', image: 'web:1', ports: [{ name: 'web', containerPort: 81, protocol: 'TCP' as const }] },
  ];
  const subsets = subsetsOf(service(), [server(1), server(2, { spec: { containers } })]);
  assert.deepEqual(subsets.map(({ ports }) => ports?.[0]?.port).sort(), [8080, 81]);
});

test('a service may publish what is not ready, and a headless one needs no ports', () => {
  const early = service({ publishNotReadyAddresses: true });
  assert.deepEqual(ips(subsetsOf(early, [server(1, unready), server(2, going)])), [[['10.244.0.1', '10.244.0.2'], []]]);
  const [portless] = subsetsOf(service({ clusterIP: 'None', ports: [] }), [server(1)]);
  assert.equal(portless?.ports, undefined);
  assert.equal(portless?.addresses?.length, 1);
  assert.deepEqual(subsetsOf(service({ ports: [{ port: 1, targetPort: 'unknown' }] }), [server(1)]), []);
});

test('subsets are the same whatever their order', () => {
  const two = service({
    ports: [
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ],
  });
  const [subset = {}] = subsetsOf(two, [server(1), server(2)]);
  const { ports = [], addresses = [] } = subset;
  assert.ok(isSame([subset], [{ addresses: addresses.toReversed(), ports: ports.toReversed() }]));
  assert.ok(!isSame([subset], [{ ports, notReadyAddresses: addresses }]));
});
