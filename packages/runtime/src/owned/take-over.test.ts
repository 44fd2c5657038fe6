import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { Service } from '@keelson/core/v1';
import { NoOpApplies } from './no-op-apply.ts';
import { printTaken, takeOver } from './take-over.ts';

const wanted = { spec: { ports: [{ port: 80 }] } };
const step = (port: number) => `k:{"port":${port},"protocol":"TCP"}`;
const entry = (manager: string, port: number) => ({
  manager,
  operation: manager === 'me' ? 'Apply' : 'Update',
  fieldsV1: { 'f:spec': { 'f:ports': { [step(port)]: {} } } },
});
const service = (managedFields: readonly object[], uid = 'u'): KubernetesObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a', namespace: 'ns', uid, resourceVersion: '7', creationTimestamp: 'then', managedFields },
    spec: { ports: [80, 81].map((port) => ({ port, protocol: 'TCP' })) },
  }) as never;

async function taking(live: KubernetesObject | undefined, shared: readonly string[] = []) {
  const sent: unknown[] = [];
  let asked = 0;
  const client = {
    async find() {
      asked += 1;
      return live;
    },
    patch: async (_kind: unknown, key: string, patch: unknown) => void sent.push([key, patch]),
  };
  const options = { client: client as never, applied: new NoOpApplies('me'), kind: Service, wanted, shared };
  const existing = service([entry('me', 80)]);
  const taken = await takeOver({ ...options, existing });
  const again = async () => {
    const before = asked;
    await takeOver({ ...options, existing });
    return asked > before;
  };
  return { taken: taken.map(({ path }) => path), sent, asked: () => asked, again };
}

test('what looks foreign is confirmed by the server, and taken with the version that was read', async () => {
  const { taken, sent } = await taking(service([entry('me', 80), entry('you', 81)]));
  assert.deepEqual(taken, ['spec.ports[port=81,protocol=TCP]']);
  const mine = { ...entry('me', 80), fieldsV1: { 'f:spec': { 'f:ports': { [step(80)]: {}, [step(81)]: {} } } } };
  assert.deepEqual(sent, [['ns/a', { metadata: { resourceVersion: '7', managedFields: [mine] } }]]);
});

test("nothing is taken of what is gone, replaced, shared or nobody's; the last is not asked about again", async () => {
  const gone = await taking(undefined);
  const replaced = await taking(service([entry('you', 81)], 'other'));
  const shared = await taking(service([entry('you', 81)]), ['spec.ports']);
  const nobodys = await taking(service([entry('me', 80)]));
  for (const { taken, sent } of [gone, replaced, shared, nobodys]) assert.deepEqual([taken, sent], [[], []]);
  assert.equal(shared.asked(), 0);
  assert.deepEqual([await gone.again(), await nobodys.again()], [true, false]);
});

test('who had added what is said by manager', () => {
  const item = (manager: string, path: string) => ({ manager, path, steps: [], fields: {} });
  assert.equal(
    printTaken([item('you', 'a'), item('him', 'b'), item('you', 'c')]),
    'you had added a, c; him had added b',
  );
});
