import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldSet, KubernetesObject } from '@keelson/core';
import { foreignItems, suspiciousItems, withItemsOurs, withoutSharedFields } from './foreign-items.ts';

const tcp = (port: number) => `k:{"port":${port},"protocol":"TCP"}`;
const entry = (manager: string, operation: 'Apply' | 'Update', fieldsV1: FieldSet, subresource?: string) => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource && { subresource }),
});

const service = (spec: object, ...managedFields: readonly ReturnType<typeof entry>[]): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', uid: 'u', managedFields }, spec }) as never;

const wanted = { spec: { ports: [{ name: 'http', port: 80 }] } };
const ports = (...numbers: readonly number[]) => ({ ports: numbers.map((port) => ({ port, protocol: 'TCP' })) });
const owns = (...numbers: readonly number[]): FieldSet => ({
  'f:spec': { 'f:ports': Object.fromEntries(numbers.map((port) => [tcp(port), { '.': {}, 'f:port': {} }])) },
});

test('suspicious are items of described lists that our entry does not hold', () => {
  const suspects = (spec: object, ours: FieldSet | undefined, shared: readonly string[] = []) =>
    suspiciousItems(service(spec), ours, wanted, shared).map((item) => (item as { readonly port: number }).port);
  assert.deepEqual(suspects(ports(80), owns(80)), []);
  assert.deepEqual(suspects(ports(80, 81), owns(80)), [81]);
  assert.deepEqual(suspects(ports(81), { 'f:spec': { 'f:selector': {} } }), [81]);
  assert.deepEqual(suspects(ports(80, 81), { 'f:spec': { 'f:ports': {} } }), [], 'the list as a whole is ours');
  assert.deepEqual(suspects(ports(80, 81), owns(80), ['spec.ports']), []);
  assert.deepEqual(suspects({ externalIPs: ['1.2.3.4'], ...ports(80) }, owns(80)), [], 'a list that is not described');
});

test('foreign is what the entry of another manager holds and the description does not', () => {
  const found = (...managedFields: readonly ReturnType<typeof entry>[]) =>
    foreignItems(service(ports(80, 81), ...managedFields), 'me', wanted, []).map(
      ({ manager, path }) => `${manager} ${path}`,
    );
  assert.deepEqual(found(entry('me', 'Apply', owns(80)), entry('you', 'Update', owns(81))), [
    'you spec.ports[port=81,protocol=TCP]',
  ]);
  assert.deepEqual(found(entry('you', 'Apply', owns(80, 81))), ['you spec.ports[port=81,protocol=TCP]']);
  assert.deepEqual(found(entry('me', 'Update', owns(81))), [], 'admission added it to what we had sent');
  assert.deepEqual(found(entry('you', 'Update', owns(81), 'status')), [], 'a subresource is no description');
  assert.deepEqual(found(entry('you', 'Update', { 'f:metadata': { 'f:finalizers': { 'v:"x"': {} } } })), []);
  assert.deepEqual(found(entry('you', 'Update', { 'f:spec': { 'f:sessionAffinity': {} } })), []);
});

test('taking over moves the items and nothing else; an entry that is left with nothing goes', () => {
  const mine = entry('me', 'Apply', { 'f:spec': { 'f:selector': {} } });
  const yours = entry('you', 'Update', { ...owns(80, 81), 'f:metadata': { 'f:labels': {} } });
  const entries = [mine, yours];
  const items = foreignItems(service(ports(80, 81), ...entries), 'me', wanted, []);
  assert.deepEqual(withItemsOurs(entries, 'me', items), [
    {
      ...mine,
      fieldsV1: { 'f:spec': { 'f:selector': {}, 'f:ports': { [tcp(81)]: { '.': {}, 'f:port': {} } } } },
    },
    { ...yours, fieldsV1: { ...owns(80), 'f:metadata': { 'f:labels': {} } } },
  ]);
  const only = [entry('you', 'Update', owns(81))];
  const taken = withItemsOurs(only, 'me', foreignItems(service(ports(81), ...only), 'me', wanted, []));
  assert.deepEqual(
    taken.map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 })),
    [{ manager: 'me', operation: 'Apply', fieldsV1: owns(81) }],
  );
});

test('a shared field is described until somebody else has set it', () => {
  const live = service({ replicas: 5 });
  const desired = { spec: { replicas: 2, paused: false } };
  const ours: FieldSet = { 'f:spec': { 'f:replicas': {} } };
  assert.deepEqual(withoutSharedFields(desired, live, ours, ['spec.replicas']), desired);
  assert.deepEqual(withoutSharedFields(desired, live, { 'f:spec': {} }, ['spec.replicas']), {
    spec: { paused: false },
  });
  assert.deepEqual(withoutSharedFields(desired, service({}), {}, ['spec.replicas']), desired);
});
