/** What an author may and may not write, tested as types: `tsc` fails when an expected error is missing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputOf, ObjectOf, StatusInputOf } from '@keelson/core';
import { z } from 'zod';
import { conditions } from './conditions.ts';
import { defineKind } from './define-kind.ts';

const Memcached = defineKind({
  group: 'cache.example.com',
  kind: 'Memcached',
  hub: 'v1alpha1',
  versions: {
    v1alpha1: {
      storage: true,
      spec: z.object({
        size: z.int32().min(1).max(5).default(1).describe('How many Memcached servers to run.'),
      }),
      status: z.object({
        nodes: z.array(z.string()),
        conditions: conditions('Available', 'Progressing', 'Degraded'),
      }),
    },
  },
});
type Memcached = ObjectOf<typeof Memcached>;
type NewMemcached = InputOf<typeof Memcached>;
type MemcachedStatus = StatusInputOf<typeof Memcached>;

const Other = defineKind({
  group: 'cache.example.com',
  kind: 'Other',
  scope: 'Cluster',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({
        image: z.string(),
        mode: z.enum(['Fast', 'Safe']).optional(),
        ports: z.array(z.object({ port: z.int32(), protocol: z.string().default('TCP') })).default([]),
      }),
    },
  },
});

const Several = defineKind({
  group: 'cache.example.com',
  kind: 'Several',
  hub: 'v2',
  conversion: 'None',
  versions: {
    v1: { storage: true, deprecated: 'use v2', spec: z.object({ size: z.int32() }) },
    v2: { spec: z.object({ replicas: z.int32() }) },
  },
});

const meta = { name: 'cache', namespace: 'default' };

/** Compiled, never called: each pin is a line that must not compile. */
function pins(memcached: Memcached, other: ObjectOf<typeof Other>, several: ObjectOf<typeof Several>) {
  const size: number = memcached.spec.size;
  const kind: 'Memcached' = memcached.kind;
  const apiVersion: 'cache.example.com/v1alpha1' = memcached.apiVersion;
  const namespace: string = memcached.metadata.namespace;
  const nodes: readonly string[] | undefined = memcached.status?.nodes;
  const observed: number | undefined = memcached.status?.observedGeneration;
  const types: readonly string[] | undefined = memcached.status?.conditions?.map(({ type }) => type);
  const since: readonly string[] | undefined = memcached.status?.conditions?.map((each) => each.lastTransitionTime);
  const protocols: readonly string[] = other.spec.ports.map(({ protocol }) => protocol);
  const replicas: number = several.spec.replicas;
  const values = [replicas, size, kind, apiVersion, namespace, nodes, observed, types, since, protocols];

  // @ts-expect-error a field that does not exist
  memcached.spec.sise;
  // @ts-expect-error a field of another version than the hub
  several.spec.size;
  // @ts-expect-error as read, all is readonly
  memcached.spec.size = 2;
  // @ts-expect-error deeply
  for (const each of other.spec.ports) each.port = 2;
  // @ts-expect-error and lists are
  other.spec.ports.push({ port: 1, protocol: 'TCP' });
  // @ts-expect-error as read, the status may be absent
  memcached.status.nodes;
  // @ts-expect-error and its fields too
  const all: readonly string[] = memcached.status?.nodes;
  // @ts-expect-error this kind has no status
  other.status;
  // @ts-expect-error a cluster-scoped object need not have a namespace
  const elsewhere: string = other.metadata.namespace;
  // @ts-expect-error an object of one kind is none of another
  const wrongKind: Memcached = other;

  const written: readonly NewMemcached[] = [
    { metadata: meta },
    { metadata: { generateName: 'cache-' } },
    { metadata: meta, spec: {} },
    { metadata: meta, spec: { size: undefined } },
    { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', metadata: meta, spec: { size: 3 } },
    // @ts-expect-error a size of a wrong type
    { metadata: meta, spec: { size: '3' } },
    // @ts-expect-error a field that does not exist
    { metadata: meta, spec: { sise: 3 } },
    // @ts-expect-error the status is its controller's
    { metadata: meta, spec: { size: 3 }, status: { nodes: [] } },
    // @ts-expect-error another kind's name
    { kind: 'Other', metadata: meta },
    // @ts-expect-error no name
    { metadata: {} },
  ];
  const others: readonly InputOf<typeof Other>[] = [
    { metadata: { name: 'other' }, spec: { image: 'memcached:1.6', ports: [{ port: 11211 }] } },
    // @ts-expect-error a missing required field
    { metadata: { name: 'other' }, spec: { mode: 'Fast' } },
    // @ts-expect-error a missing spec that has required fields
    { metadata: { name: 'other' } },
    // @ts-expect-error a value that is none of the enum
    { metadata: { name: 'other' }, spec: { image: 'memcached:1.6', mode: 'Slow' } },
  ];
  return [...values, all, elsewhere, wrongKind, ...written, ...others];
}

/** The status that a function builds: literals must not widen on their way into the list. */
function status(ready: boolean): MemcachedStatus {
  return {
    nodes: ['cache-0'],
    conditions: [
      { type: 'Available', status: ready ? 'True' : 'False', reason: 'Ready', message: 'All servers are ready.' },
      ...(ready ? [] : [{ type: 'Degraded', status: 'True', reason: 'Crash', message: 'A server crashes.' } as const]),
    ],
  };
}

function statusPins(): readonly MemcachedStatus[] {
  const condition = { type: 'Available', status: 'True', reason: 'Ready', message: '' } as const;
  return [
    status(true),
    // @ts-expect-error the whole status is stated: nodes are missing
    { conditions: [condition] },
    // @ts-expect-error an undeclared condition type
    { nodes: [], conditions: [{ ...condition, type: 'Ready' }] },
    // @ts-expect-error a status that is none
    { nodes: [], conditions: [{ ...condition, status: true }] },
    // @ts-expect-error the engine stamps the generation
    { nodes: [], conditions: [condition], observedGeneration: 1 },
    // @ts-expect-error and the time
    { nodes: [], conditions: [{ ...condition, lastTransitionTime: '' }] },
  ];
}

function definitionPins() {
  const v1 = { storage: true, spec: z.object({}) };
  const names = { group: 'a.example.com', kind: 'A', hub: 'v1' } as const;
  return [
    // @ts-expect-error the hub is one of the versions
    defineKind({ ...names, hub: 'v2', versions: { v1 } }),
    // @ts-expect-error a version without a spec
    defineKind({ ...names, versions: { v1: { storage: true } } }),
    // @ts-expect-error a spec that is not an object
    defineKind({ ...names, versions: { v1: { storage: true, spec: z.string() } } }),
    // @ts-expect-error a field that versions do not have
    defineKind({ ...names, versions: { v1: { ...v1, statsu: v1.spec } } }),
    // @ts-expect-error a field that kinds do not have
    defineKind({ ...names, shortnames: [], versions: { v1 } }),
    // @ts-expect-error an extension of Kubernetes with a value that it does not have
    z.array(z.string()).meta({ 'x-kubernetes-list-type': 'bag' }),
    // @ts-expect-error an example of another type
    z.string().meta({ example: 1 }),
    defineKind({ ...names, versions: { v1: { ...v1, spec: z.strictObject({}), status: z.looseObject({}) } } }),
  ];
}

const Converted = defineKind({
  group: 'cache.example.com',
  kind: 'Converted',
  hub: 'v2',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ size: z.int32().default(1), ports: z.array(z.object({ port: z.int32() })).optional() }),
      status: z.object({ conditions: conditions('Available') }),
    },
    v2: { spec: z.object({ replicas: z.int32(), pod: z.object({ host: z.string(), ip: z.string() }) }) },
  },
  conversions: {
    v1: {
      toHub: ({ spec }) => ({ spec: { replicas: spec.size, pod: { ip: spec.ports?.map(({ port }) => port).join() } } }),
      fromHub: ({ spec }) => ({ spec: { size: spec.replicas, ports: undefined }, status: { conditions: undefined } }),
    },
  },
});

function conversionPins() {
  const v1 = { storage: true, spec: z.object({ size: z.int32() }) };
  const v2 = { spec: z.object({ replicas: z.int32(), ports: z.array(z.object({ port: z.int32() })).optional() }) };
  const of = { group: 'a.example.com', kind: 'A', hub: 'v2', versions: { v1, v2 } } as const;
  return [
    // @ts-expect-error a field that the version does not have
    defineKind({ ...of, conversions: { v1: { toHub: ({ spec }) => ({ spec: { replicas: spec.replicas } }) } } }),
    // @ts-expect-error a field that the hub does not have
    defineKind({ ...of, conversions: { v1: { toHub: ({ spec }) => ({ spec: { size: spec.size } }) } } }),
    // @ts-expect-error a value of another type
    defineKind({ ...of, conversions: { v1: { fromHub: ({ spec }) => ({ spec: { size: `${spec.replicas}` } }) } } }),
    // @ts-expect-error an item that is not whole
    defineKind({ ...of, conversions: { v1: { toHub: () => ({ spec: { ports: [{}] } }) } } }),
    // @ts-expect-error a status that no version has
    defineKind({ ...of, conversions: { v1: { toHub: ({ status }) => ({ status }) } } }),
    // @ts-expect-error the hub has none
    defineKind({ ...of, conversions: { v2: {} } }),
    // @ts-expect-error no such version
    defineKind({ ...of, conversions: { v3: {} } }),
  ];
}

test('only a kind with conversions converts', () => {
  assert.deepEqual(Converted.conversion?.versions, ['v1', 'v2']);
  assert.equal('conversion' in Memcached, false);
  void conversionPins;
});

/** What the status is of a kind that has none, and of kinds that must not be taken for one another. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const noStatus: Same<StatusInputOf<typeof Other>, never> = true;
const oneKindIsNotAnother: Same<typeof Memcached, typeof Other> = false;

test('a defined kind is a kind of core', () => {
  const { definition: _, ...kind } = Memcached;
  assert.deepEqual(kind, {
    group: 'cache.example.com',
    version: 'v1alpha1',
    kind: 'Memcached',
    resource: 'memcacheds',
    scope: 'Namespaced',
  });
  void [pins, statusPins, definitionPins, noStatus, oneKindIsNotAnother];
});
