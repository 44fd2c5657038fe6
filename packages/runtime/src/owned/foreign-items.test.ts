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

test('in nested lists and objects, items are looked at as deep as they are described', () => {
  const step = (text: string) => `k:{"name":"${text}"}`;
  const item = (name: string, ...env: readonly string[]) => ({ name, env: env.map((each) => ({ name: each })) });
  const holds = (...env: readonly string[]): FieldSet => ({
    'f:spec': {
      'f:template': {
        'f:containers': {
          '.': {},
          [step('side')]: { '.': {}, 'f:name': {} },
          [step('web')]: { 'f:env': Object.fromEntries(env.map((each) => [step(each), {}])) },
        },
      },
    },
  });
  const described = { spec: { template: { containers: [item('side'), item('web', 'A')] } } };
  const live = service({ template: { containers: [item('side'), item('web', 'A', 'B')] } });
  const suspects = (ours: FieldSet | undefined, shared: readonly string[] = []) =>
    suspiciousItems(live, ours, described, shared);
  assert.deepEqual(suspects(holds('A', 'B')), []);
  assert.deepEqual(suspects(holds('A')), [{ name: 'B' }]);
  assert.deepEqual(suspects(holds('A'), ['spec.template.containers.env']), []);
  assert.deepEqual(suspects(holds('A'), ['spec.template.containers']), []);
  assert.deepEqual(suspects(undefined), [item('side'), item('web', 'A', 'B')], 'nothing is ours');
  const nothing = { spec: { template: 'text' } };
  assert.deepEqual(suspiciousItems(live, holds('A'), nothing, []), [], 'described as something else');
  assert.deepEqual(suspiciousItems(service({ template: 'text' }), holds('A'), described, []), []);
  assert.deepEqual(suspiciousItems(service({ ports: 'text' }), owns(80), wanted, []), []);

  const yours = entry('you', 'Update', holds('A', 'B'));
  const found = (shared: readonly string[], of: object = described) =>
    foreignItems(service({}, yours), 'me', of, shared).map(({ path }) => path);
  assert.deepEqual(found([]), ['spec.template.containers[name=web].env[name=B]']);
  assert.deepEqual(found(['spec.template.containers']), []);
  assert.deepEqual(found(['spec.template']), []);
  assert.deepEqual(found(['spec.template.containers.env']), []);
  assert.deepEqual(found([], nothing), []);
  assert.deepEqual(found([], { spec: { template: {} } }), [], 'a list that is not described');
});

test('items of a set are told apart by their value', () => {
  const set = (...values: readonly string[]) => ({ externalIPs: values });
  const holds = (...values: readonly string[]): FieldSet => ({
    'f:spec': { 'f:externalIPs': Object.fromEntries(values.map((each) => [`v:"${each}"`, {}])) },
  });
  const described = { spec: set('a') };
  assert.deepEqual(suspiciousItems(service(set('a', 'b')), holds('a'), described, []), ['b']);
  assert.deepEqual(suspiciousItems(service(set('a')), holds('a'), described, []), []);
  const items = foreignItems(service(set('a', 'b'), entry('you', 'Update', holds('a', 'b'))), 'me', described, []);
  assert.deepEqual(
    items.map(({ path, steps }) => [path, steps]),
    [['spec.externalIPs[b]', ['f:spec', 'f:externalIPs', 'v:"b"']]],
  );
});

test('an entry without fields or without a name does no harm', () => {
  const { fieldsV1: _, ...bare } = entry('you', 'Update', {});
  const { manager: __, ...nameless } = entry('you', 'Update', owns(81));
  const live = service(ports(81), bare as never, nameless as never);
  const items = foreignItems(live, 'me', wanted, []);
  assert.deepEqual(
    items.map(({ manager }) => manager),
    [''],
  );
  assert.deepEqual(
    foreignItems({ ...live, metadata: { ...live.metadata, managedFields: undefined } }, 'me', wanted, []),
    [],
  );
  const status = entry('other', 'Apply', { 'f:status': {} }, 'status');
  const changed = withItemsOurs([bare as never, status], 'me', items);
  assert.deepEqual(changed.slice(0, 2), [{ ...bare, fieldsV1: {} }, status]);
  assert.deepEqual(changed[2], { ...entry('me', 'Apply', owns(81)), time: undefined });
  assert.deepEqual(withItemsOurs([], 'me', items), [
    { ...entry('me', 'Apply', owns(81)), apiVersion: undefined, time: undefined },
  ]);
});

test('an entry that admission made under our own name is not the one of our applies', () => {
  const admitted = entry('me', 'Update', { 'f:spec': { 'f:type': {} } });
  const yours = entry('you', 'Apply', owns(81));
  const items = foreignItems(service(ports(81), admitted, yours), 'me', wanted, []);
  assert.deepEqual(
    withItemsOurs([admitted, yours], 'me', items).map(({ manager, operation }) => `${manager} ${operation}`),
    ['me Update', 'me Apply'],
  );
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
  assert.deepEqual(withoutSharedFields(desired, live, undefined, ['spec.replicas']), { spec: { paused: false } });
  assert.deepEqual(withoutSharedFields(desired, live, {}, ['spec.replicas.deeper', 'spec.other']), desired);
  assert.deepEqual(withoutSharedFields({ spec: 'text' }, live, {}, ['spec.replicas']), { spec: 'text' });
});
