import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubernetesObject } from '@keelson/core';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import { VirtualClock } from '@keelson/testing';
import type { PlannedWrite } from '../storms/storms.ts';
import { NoOpApplies } from './no-op-apply.ts';
import { createStatusWriter, type StatusWriterOptions } from './status-writer.ts';

const object = (status?: object, metadata: object = {}): KubernetesObject & { readonly status?: object } => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'ns',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: 'then',
    generation: 3,
    ...metadata,
  },
  ...(status && { status }),
});
const condition = (type: string, status: 'True' | 'False', message = '') => ({ type, status, reason: 'Seen', message });
const stored = (type: string, status: string) => ({
  ...condition(type, 'True'),
  status,
  lastTransitionTime: '2020-01-01T00:00:00Z',
  observedGeneration: 1,
});

/** The status of `seen` over what `cached` shows, by a server that adds an entry of managedFields for it. */
function given(cached: KubernetesObject | undefined, options: Partial<StatusWriterOptions> = {}) {
  const sent: { readonly status: { readonly conditions?: readonly object[] } }[] = [];
  const how: unknown[] = [];
  const planned: PlannedWrite[] = [];
  const told: unknown[] = [];
  const result = object({}, { resourceVersion: '2' });
  const client = {
    async applySubresource(_kind: unknown, subresource: string, wanted: (typeof sent)[number], options: unknown) {
      sent.push(wanted);
      how.push([subresource, options]);
      return result;
    },
    get: async () =>
      object(
        {},
        {
          managedFields: [{ manager: 'you', operation: 'Update', fieldsV1: { 'f:status': { 'f:seen': {} } } }],
          status: 1,
        },
      ),
  };
  const storms = {
    beforeWrite: async (key: string, write: PlannedWrite) => {
      assert.equal(sent.length, 0);
      assert.equal(key, 'ns/a');
      planned.push(write);
    },
    written: (...args: readonly unknown[]) => void told.push(['written', ...args]),
  };
  const writer = createStatusWriter({
    client,
    caches: { store: () => ({ get: () => cached }) },
    applied: new NoOpApplies('me'),
    clock: new VirtualClock(),
    kind: ConfigMap,
    object: object(),
    onWritten: (...args: readonly unknown[]) => void told.push(['changed', ...args]),
    storms,
    ...options,
  } as unknown as StatusWriterOptions);
  return { writer, sent, how, planned, told, result };
}

test('a status is stamped with the generation that was seen, and conditions with the time of their last change', async () => {
  const cached = object({ conditions: [stored('Ready', 'True'), stored('Failed', 'False')] });
  const { writer, sent, how, planned, told, result } = given(cached);
  const authored = {
    seen: 'x',
    conditions: [condition('Ready', 'True'), condition('Failed', 'True'), condition('New', 'False')],
  };
  assert.equal(await writer.apply(authored as never), result);
  const now = '2026-01-01T00:00:00Z';
  assert.deepEqual(sent[0], {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'ns', uid: 'u' },
    status: {
      seen: 'x',
      conditions: [
        { ...condition('Ready', 'True'), lastTransitionTime: '2020-01-01T00:00:00Z', observedGeneration: 3 },
        { ...condition('Failed', 'True'), lastTransitionTime: now, observedGeneration: 3 },
        { ...condition('New', 'False'), lastTransitionTime: now, observedGeneration: 3 },
      ],
      observedGeneration: 3,
    },
  } as never);
  assert.deepEqual(how, [['status', { force: true }]]);
  const { target, wanted, isDescription, live } = planned[0] ?? assert.fail();
  assert.deepEqual([target, wanted, isDescription, live], ['the status', authored, false, cached]);
  assert.deepEqual(told, [
    ['changed', cached, result],
    ['written', 'ns/a', 'the status', authored, result],
  ]);
});

test('a status that says nothing new is not written', async () => {
  const fieldsV1 = { 'f:status': { 'f:seen': {}, 'f:observedGeneration': {} } };
  const entry = { manager: 'me', operation: 'Apply', subresource: 'status', fieldsV1 };
  const cached = object({ seen: 'x', observedGeneration: 3 }, { managedFields: [entry] });
  const { writer, sent, planned } = given(cached);
  assert.equal(await writer.apply({ seen: 'x' } as never), cached);
  assert.deepEqual([sent, planned], [[], []]);
  await writer.apply({ seen: 'y' } as never);
  assert.deepEqual(planned[0]?.fields(), [['status', 'seen']]);
});

test('what is not cached is the object of the pass; without a generation none is stamped; a long message is cut', async () => {
  const { generation: _, namespace: __, ...metadata } = object().metadata as unknown as Record<string, unknown>;
  const cluster = { ...object(), metadata } as unknown as KubernetesObject;
  const { writer, sent } = given(undefined, {
    object: cluster,
    kind: Namespace,
    storms: { beforeWrite: async () => {}, written() {} } as never,
  });
  await writer.apply({ conditions: [condition('Ready', 'True', 'x'.repeat(40_000))] } as never);
  const { metadata: place, status } = sent[0] as never as {
    metadata: object;
    status: { conditions: { message: string }[] };
  };
  assert.deepEqual(place, { name: 'a', uid: 'u' });
  assert.deepEqual(Object.keys(status), ['conditions']);
  assert.equal(status.conditions[0]?.message.length, 32_768);
});
