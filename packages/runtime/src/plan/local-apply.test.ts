import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FieldSet, JsonObject, KubernetesObject } from '@keelson/core';
import { appliedLocally } from './local-apply.ts';

const leaf: FieldSet = {};
const fields = (...names: readonly string[]): FieldSet => Object.fromEntries(names.map((name) => [`f:${name}`, leaf]));

/** A live object with what us and another have of its spec, and what we apply now. */
interface Case {
  readonly live: JsonObject;
  readonly ours?: FieldSet;
  readonly theirs?: FieldSet;
  readonly applied: JsonObject;
  readonly result: JsonObject;
}

function specAfter({ live, ours, theirs, applied }: Case): unknown {
  const entry = (manager: string, operation: string, set: FieldSet | undefined) =>
    set === undefined ? [] : [{ manager, operation, fieldsType: 'FieldsV1', fieldsV1: { 'f:spec': set } }];
  const managedFields = [...entry('us', 'Apply', ours), ...entry('them', 'Update', theirs)];
  const object = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a', managedFields }, spec: live };
  const body = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' }, spec: applied };
  const result = appliedLocally({ live: object as unknown as KubernetesObject, applied: body, manager: 'us' });
  return (result as KubernetesObject & { readonly spec?: unknown }).spec;
}

const web = 'k:{"name":"web"}';
const tcp = 'k:{"port":80,"protocol":"TCP"}';
const item = { '.': leaf, ...fields('name', 'image') };

const cases: Readonly<Record<string, Case>> = {
  'members are merged; those of others and of nobody stay': {
    live: { a: 1, theirs: 2, default: 3 },
    ours: fields('a'),
    theirs: fields('theirs'),
    applied: { a: 4, b: 5 },
    result: { a: 4, theirs: 2, default: 3, b: 5 },
  },
  'what we alone owned and no longer name goes; what another owns too stays': {
    live: { a: 1, both: 2, default: 3 },
    ours: fields('a', 'both'),
    theirs: fields('both'),
    applied: {},
    result: { both: 2, default: 3 },
  },
  'a part of which nothing is left goes, with its defaults': {
    live: { strategy: { type: 'Recreate', default: 1 }, a: 1 },
    ours: { 'f:strategy': fields('type'), 'f:a': leaf },
    applied: { a: 1 },
    result: { a: 1 },
  },
  "a part in which another has something keeps that, and what is nobody's": {
    live: { strategy: { type: 'Recreate', theirs: 2, default: 1 } },
    ours: { 'f:strategy': fields('type') },
    theirs: { 'f:strategy': fields('theirs') },
    applied: {},
    result: { strategy: { theirs: 2, default: 1 } },
  },
  'a map that is owned as a whole is replaced': {
    live: { selector: { a: '1', b: '2' } },
    ours: { 'f:selector': leaf },
    applied: { selector: { a: '1' } },
    result: { selector: { a: '1' } },
  },
  'an empty map that somebody set is no map that is owned as a whole': {
    live: { labels: { a: '1' } },
    ours: { 'f:labels': leaf },
    theirs: { 'f:labels': fields('a') },
    applied: { labels: { b: '2' } },
    result: { labels: { a: '1', b: '2' } },
  },
  'a list that is owned as a whole, or by nobody, is replaced': {
    live: { args: ['a', 'b'], free: [{ name: 'a' }] },
    ours: { 'f:args': leaf },
    applied: { args: ['c'], free: [{ name: 'b' }] },
    result: { args: ['c'], free: [{ name: 'b' }] },
  },
  'items are merged by their keys, in the order that is wanted': {
    live: { containers: [{ name: 'web', image: '1', default: 1 }, { name: 'injected' }, { name: 'side', image: '1' }] },
    ours: { 'f:containers': { [web]: item, 'k:{"name":"side"}': item } },
    theirs: { 'f:containers': { 'k:{"name":"injected"}': item } },
    applied: { containers: [{ name: 'new' }, { name: 'side', image: '1' }, { name: 'web', image: '2' }] },
    result: {
      containers: [
        { name: 'new' },
        { name: 'side', image: '1' },
        { name: 'web', image: '2', default: 1 },
        { name: 'injected' },
      ],
    },
  },
  'an item that we no longer name goes with its defaults': {
    live: { containers: [{ name: 'web', image: '1', default: 1 }, { name: 'side' }] },
    ours: { 'f:containers': { [web]: item, 'k:{"name":"side"}': item } },
    applied: { containers: [{ name: 'side' }] },
    result: { containers: [{ name: 'side' }] },
  },
  'a field of an item that we no longer name goes alone': {
    live: { containers: [{ name: 'web', image: '1', default: 1 }] },
    ours: { 'f:containers': { [web]: item } },
    applied: { containers: [{ name: 'web' }] },
    result: { containers: [{ name: 'web', default: 1 }] },
  },
  'a key that is not said is a default': {
    live: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
    ours: { 'f:ports': { [tcp]: { '.': leaf, ...fields('port', 'name') } } },
    applied: { ports: [{ port: 80, name: 'http' }, { port: 81 }] },
    result: { ports: [{ port: 80, protocol: 'TCP', targetPort: 80, name: 'http' }, { port: 81 }] },
  },
  'sets are joined, and lose what we alone had': {
    live: { hosts: ['a', 'b', 'theirs'] },
    ours: { 'f:hosts': { 'v:"a"': leaf, 'v:"b"': leaf } },
    theirs: { 'f:hosts': { 'v:"theirs"': leaf } },
    applied: { hosts: ['c', 'b'] },
    result: { hosts: ['c', 'b', 'theirs'] },
  },
  'an amount that the server writes in another way is no change': {
    live: { resources: { requests: { cpu: '100m', memory: '1Gi' } } },
    ours: { 'f:resources': { 'f:requests': fields('cpu', 'memory') } },
    applied: { resources: { requests: { cpu: '0.1', memory: '2Gi' } } },
    result: { resources: { requests: { cpu: '100m', memory: '2Gi' } } },
  },
  'amounts are known wherever the server has some, and elsewhere a text is a text': {
    live: {
      limits: { cpu: '1' },
      capacity: { a: '1Gi' },
      hard: { pods: '10' },
      overhead: { cpu: '250m' },
      text: '100m',
    },
    applied: {
      limits: { cpu: '1000m' },
      capacity: { a: '1024Mi' },
      hard: { pods: '10' },
      overhead: { cpu: '0.25' },
      text: '0.1',
    },
    result: {
      limits: { cpu: '1' },
      capacity: { a: '1Gi' },
      hard: { pods: '10' },
      overhead: { cpu: '250m' },
      text: '0.1',
    },
  },
  'an amount that is none is a change': {
    live: { hard: { a: '1', b: 'many', c: '3' } },
    applied: { hard: { a: 'some', b: 'few', c: '3000m' } },
    result: { hard: { a: 'some', b: 'few', c: '3' } },
  },
  'a value of another form takes the place of the one before': {
    live: { a: { b: 1 }, c: 1, d: [1], e: { f: 1 }, g: [{ name: 'x' }], h: { i: 1 } },
    ours: { 'f:g': { 'k:{"name":"x"}': item } },
    applied: { a: 1, c: { b: 1 }, d: { b: 1 }, e: [1], g: 'text', h: null },
    result: { a: 1, c: { b: 1 }, d: { b: 1 }, e: [1], g: 'text', h: null },
  },
  'what is missing comes, unless it is nothing that somebody owns': {
    live: {},
    ours: fields('a', 'b', 'c', 'd'),
    applied: { a: '', b: 0, c: {}, d: 'x', e: '', f: [] },
    result: { d: 'x', e: '', f: [] },
  },
  'a list that is described as empty goes with its items': {
    live: { containers: [{ name: 'web' }], kept: 1 },
    ours: { 'f:containers': { [web]: item } },
    applied: { containers: [] },
    result: { kept: 1 },
  },
  'an item that nobody owns is known by the keys of the others, as far as they are said': {
    live: {
      ports: [
        { port: 80, protocol: 'TCP' },
        { port: 90, protocol: 'TCP', default: 1 },
        { port: 90, protocol: 'UDP', default: 2 },
      ],
    },
    ours: { 'f:ports': { [tcp]: { '.': leaf, ...fields('port') } } },
    applied: { ports: [{ port: 80 }, { port: 90, protocol: 'UDP', name: 'x' }, { name: 'keyless' }, 'no item'] },
    result: {
      ports: [
        { port: 80, protocol: 'TCP' },
        { port: 90, protocol: 'TCP', default: 1 },
        { port: 90, protocol: 'UDP', default: 2, name: 'x' },
        { name: 'keyless' },
        'no item',
      ],
    },
  },
  'a value of a set that nobody owns is there once': {
    live: { hosts: ['a', 'free', 'other'] },
    ours: { 'f:hosts': { 'v:"a"': leaf } },
    applied: { hosts: ['free', 'a'] },
    result: { hosts: ['free', 'other', 'a'] },
  },
  'items that only the live list has stay behind the ones that they followed': {
    live: { containers: [{ name: 'first' }, { name: 'web' }, { name: 'after' }, { name: 'later' }, { name: 'side' }] },
    ours: { 'f:containers': { [web]: item, 'k:{"name":"side"}': item } },
    applied: { containers: [{ name: 'side' }, { name: 'web' }] },
    result: {
      containers: [{ name: 'first' }, { name: 'side' }, { name: 'web' }, { name: 'after' }, { name: 'later' }],
    },
  },
  'an item that another owns, too, keeps what is his': {
    live: { containers: [{ name: 'web', image: '1', theirs: 1 }] },
    ours: { 'f:containers': { [web]: item } },
    theirs: { 'f:containers': { [web]: { '.': leaf, ...fields('name', 'theirs') } } },
    applied: {},
    result: { containers: [{ name: 'web', theirs: 1 }] },
  },
  'what the server does not keep, though it is owned, is no change': {
    live: { env: [{ name: 'E' }] },
    ours: { 'f:env': { 'k:{"name":"E"}': { '.': leaf, ...fields('name', 'value') } }, 'f:list': leaf },
    applied: { env: [{ name: 'E', value: '' }], list: [] },
    result: { env: [{ name: 'E' }] },
  },
};

for (const [name, one] of Object.entries(cases)) {
  test(`local apply: ${name}`, () => {
    const copy = structuredClone(one);
    assert.deepEqual(specAfter(one), one.result);
    assert.deepEqual(one, copy, 'nothing is changed in place');
  });
}

test('local apply: an object without managedFields, or with an entry that says nothing, is merged', () => {
  const applied = { metadata: { name: 'a' }, spec: { b: 1 } };
  for (const managedFields of [undefined, [{ manager: 'us', operation: 'Apply' }]]) {
    const live = { metadata: { name: 'a', managedFields }, spec: { a: 1 } } as never;
    const { spec } = appliedLocally({ live, applied, manager: 'us' }) as never;
    assert.deepEqual(spec, { a: 1, b: 1 });
  }
});

test('local apply: an entry of another subresource is not ours', () => {
  const managedFields = [
    { manager: 'us', operation: 'Apply', subresource: 'status', fieldsV1: { 'f:status': fields('a') } },
    { manager: 'us', operation: 'Apply', fieldsV1: { 'f:spec': fields('a') } },
  ];
  const live = { metadata: { name: 'a', managedFields }, spec: { a: 1 }, status: { a: 1 } } as never;
  const applied = { metadata: { name: 'a' }, status: { b: 1 } };
  const { spec, status } = appliedLocally({ live, applied, manager: 'us', subresource: 'status' }) as never;
  assert.deepEqual([spec, status], [{ a: 1 }, { b: 1 }]);
});
