import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@keelson/core';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import { cacheStoredIn } from '../../test/cache.ts';
import { defineKind } from '../kind/define-kind.ts';

const Cache = cacheStoredIn('v1');
const annotation = 'cache.example.com/not-in-this-version';

interface Converted extends JsonObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } & JsonObject;
  readonly spec: JsonObject;
  readonly status?: JsonObject;
}

function object(version: string, spec: JsonObject, rest: JsonObject = {}): Converted {
  const metadata = { namespace: 'default', name: 'cache', uid: '1' };
  return frozen({ apiVersion: `cache.example.com/${version}`, kind: 'Cache', metadata, spec, ...rest });
}

/** Changing an input throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

function to(version: string, from: JsonObject, warnings: string[] = [], kind = Cache): Converted {
  const converted = kind.conversion?.convert(from, `cache.example.com/${version}`, (text) => warnings.push(text));
  return frozen(converted as Converted);
}

/** As `kubectl edit` and a patch do it: what is there stays, the annotation too. */
function edited(before: Converted, spec: JsonObject): Converted {
  const changed = Object.entries({ ...before.spec, ...spec }).filter(([, value]) => value !== undefined);
  return frozen({ ...before, spec: Object.fromEntries(changed) });
}

function annotated(before: Converted, content: unknown): Converted {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return frozen({ ...before, metadata: { ...before.metadata, annotations: { [annotation]: text } } });
}

const rich = object(
  'v1',
  {
    size: 7,
    memory: '1536Ki',
    workload: 'StatefulSet',
    rollout: { step: 2, pause: true },
    ports: [
      { port: 1, protocol: 'UDP' },
      { port: 2, protocol: 'TCP' },
      { port: 3, protocol: 'SCTP' },
    ],
    volumes: [
      { name: 'a', path: '/a', mode: 1 },
      { name: 'b', path: '/b', mode: 2 },
    ],
    pod: { labels: { a: 'b' }, host: 'node-1' },
    extra: { any: [1, { thing: null }] },
  },
  { status: { pods: ['cache-0'], phase: 'Running', observedGeneration: 3 } },
);

test('equal fields are copied, the functions say the others, and defaults are filled in', () => {
  const hub = to('v1', object('v1alpha1', { size: 2, megabytes: 64, pod: { labels: { a: 'b' } } }));
  assert.deepEqual(hub, object('v1', { size: 2, memory: '64Mi', pod: { labels: { a: 'b' } }, workload: 'Deployment' }));
});

test('the defaults of the version in which an object is come before those of the other', () => {
  assert.equal(to('v1alpha1', object('v1', {})).spec.size, 3);
});

test('a value that the other version would refuse is shown as it is', () => {
  assert.equal(to('v1alpha1', rich).spec.size, 7);
});

for (const [from, there, start] of [
  ['v1', 'v1alpha1', rich],
  ['v1', 'v1beta1', rich],
  ['v1alpha1', 'v1', object('v1alpha1', { size: 2, legacy: 'x', megabytes: 1, extra: { a: [] } }, { status: {} })],
  ['v1alpha1', 'v1beta1', object('v1alpha1', { size: 2, legacy: 'x' }, { status: { nodes: ['a'] } })],
  ['v1beta1', 'v1alpha1', object('v1beta1', { size: 2, beta: true })],
] as const) {
  test(`nothing is lost from ${from} to ${there} and back, and no annotation stays`, () => {
    const seen = to(there, start);
    assert.equal(seen.apiVersion, `cache.example.com/${there}`);
    assert.deepEqual(to(from, seen), start);
  });
}

test('other annotations stay, and a stale one of ours goes', () => {
  const metadata = { name: 'cache', annotations: { note: 'mine', [annotation]: '{}' } };
  const spoke = to('v1alpha1', { ...object('v1', { size: 1, workload: 'Deployment' }), metadata });
  assert.deepEqual(spoke.metadata.annotations, { note: 'mine' });
});

const edits: readonly (readonly [what: string, spec: JsonObject, expected: JsonObject])[] = [
  ['another field', { size: 4 }, { ...rich.spec, size: 4 }],
  ['the field that a kept value was derived from', { megabytes: 3 }, { ...rich.spec, memory: '3Mi' }],
  ['the absence of that field', { megabytes: undefined }, { ...without(rich.spec, 'memory') }],
  ['the absence of an object that held more', { pod: undefined }, without(rich.spec, 'pod')],
  ['an object that held more', { pod: { labels: {} } }, { ...rich.spec, pod: { labels: {}, host: 'node-1' } }],
  [
    'one item of a list',
    { ports: [{ port: 1 }, { port: 22 }, { port: 3 }] },
    {
      ...rich.spec,
      ports: [
        { port: 1, protocol: 'UDP' },
        { port: 22, protocol: 'TCP' },
        { port: 3, protocol: 'SCTP' },
      ],
    },
  ],
  [
    'one item less and one more',
    { ports: [{ port: 2 }, { port: 3 }, { port: 4 }] },
    {
      ...rich.spec,
      ports: [
        { port: 2, protocol: 'TCP' },
        { port: 3, protocol: 'SCTP' },
        { port: 4, protocol: 'TCP' },
      ],
    },
  ],
  [
    'the order of items that have a key',
    { volumes: [{ name: 'c' }, { name: 'b', path: '/bb' }] },
    { ...rich.spec, volumes: [{ name: 'c' }, { name: 'b', path: '/bb', mode: 2 }] },
  ],
];

function without(spec: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = spec;
  return rest;
}

for (const [what, spec, expected] of edits) {
  test(`what an older version cannot say survives a change of ${what} there`, () => {
    assert.deepEqual(to('v1', edited(to('v1alpha1', rich), spec)).spec, expected);
  });
}

test('a replacement that leaves the annotation out loses what stood in it', () => {
  const { metadata, ...shown } = to('v1alpha1', rich);
  const { annotations: _, ...others } = metadata;
  const { spec } = to('v1', { ...shown, metadata: others });
  assert.deepEqual([spec.workload, spec.rollout, spec.memory, spec.size], ['Deployment', undefined, '1Mi', 7]);
});

test('an annotation that was copied into the version it speaks for brings nothing back', () => {
  const started = object('v1', { size: 2, workload: 'StatefulSet' });
  for (const older of ['v1alpha1', 'v1beta1']) {
    const { metadata } = to(older, started);
    const copied = { ...object('v1', { size: 2, workload: 'Deployment' }), metadata };
    assert.deepEqual(to('v1', to(older, copied)).spec, copied.spec);
  }
});

const hostile: readonly (readonly [what: string, content: unknown, warning: RegExp])[] = [
  ['no JSON', '{', /^the annotation cache\.example\.com\/not-in-this-version is not in its form/],
  ['a list', [], /not in its form/],
  ['a text for a version', { v1: 'all' }, /not in its form/],
  ['a value of another type', { v1: { kept: { spec: { notes: 7 } } } }, /left out: spec\.notes: Invalid value/],
  [
    'a value that the schema refuses',
    { v1: { kept: { spec: { workload: 'Job' } }, inferred: { spec: { workload: 'Deployment' } } } },
    /left out: spec\.workload: Unsupported value: "Job"/,
  ],
  [
    'a value that a rule refuses',
    { v1: { kept: { spec: { workload: 'StatefulSet' } }, inferred: { spec: { workload: 'Deployment' } } } },
    /one is not a set/,
  ],
  [
    'a spec that is none',
    { v1: { kept: { spec: 'x' }, inferred: { spec: { size: 1, workload: 'Deployment' } } } },
    /spec/,
  ],
];

for (const [what, content, warning] of hostile) {
  test(`an annotation with ${what} changes nothing, and is told`, () => {
    const warnings: string[] = [];
    const { spec, metadata } = to('v1', annotated(object('v1alpha1', { size: 1 }), content), warnings);
    assert.deepEqual(spec, { size: 1, workload: 'Deployment' });
    assert.equal(metadata.annotations, undefined);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', warning);
  });
}

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const quiet: readonly (readonly [what: string, content: string])[] = [
  ['fields that no version has', '{"v1":{"kept":{"spec":{"no":1},"no":{}},"inferred":{"spec":{}}}}'],
  ['other metadata', '{"v1":{"kept":{"metadata":{"name":"other"},"kind":"Other","apiVersion":"v2"}}}'],
  ['a prototype', '{"v1":{"kept":{"__proto__":{"size":9},"spec":{"__proto__":{"size":9}}},"inferred":{"spec":{}}}}'],
  ['versions that there are not', '{"v7":{"kept":{"spec":{"size":9}}}}'],
  ['a removal of what is not there', '{"v1":{"inferred":{"spec":{"notes":"x"},"status":{"pods":[]}}}}'],
];

for (const [what, content] of quiet) {
  test(`an annotation with ${what} changes nothing`, () => {
    const result = to('v1', annotated(object('v1alpha1', { size: 1 }), content));
    assert.deepEqual(result, object('v1', { size: 1, workload: 'Deployment' }));
  });
}

test('an annotation that is nested without end is no harm', () => {
  const text = (inner: string) =>
    `{"v1":{"kept":{"spec":{"notes":"x","extra":${inner}}},"inferred":{"spec":{"extra":${deep(9_000)}}}}}`;
  const extra = JSON.parse(deep(9_000));
  const metadata = { annotations: { [annotation]: text(deep(9_001)) } };
  const spoke = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Cache', metadata, spec: { size: 1, extra } };
  const hub = Cache.conversion?.convert(spoke, 'cache.example.com/v1') as Converted;
  assert.equal(hub.spec.workload, 'Deployment');
});

test('an annotation that is nested too deeply to go along is left out, and told', () => {
  const start = object('v1', { size: 2, workload: 'Deployment' });
  const warnings: string[] = [];
  const content = `{"v1beta1":{"kept":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
  assert.deepEqual(to('v1alpha1', annotated(start, content), warnings), to('v1alpha1', start));
  assert.match(`${warnings}`, /not in its form, and is left out$/);
});

test('of what is kept, one wrong field is left out, and the others come back', () => {
  const text = to('v1alpha1', rich).metadata.annotations?.[annotation] ?? '';
  const warnings: string[] = [];
  const { spec } = to('v1', annotated(to('v1alpha1', rich), text.replace('"step":2', '"step":"two"')), warnings);
  assert.equal(spec.workload, 'StatefulSet');
  assert.equal(spec.rollout, undefined);
  assert.equal(warnings.length, 1);
});

test('fields of which none is right without the other come back together', () => {
  const Pair = defineKind({
    group: 'cache.example.com',
    kind: 'Pair',
    hub: 'v1',
    versions: {
      v0: { spec: z.object({}) },
      v1: {
        storage: true,
        spec: z.object({ a: z.int32().optional(), b: z.int32().optional() }),
        rules: [rule('has(self.spec.a) == has(self.spec.b)')],
      },
    },
    conversions: { v0: {} },
  });
  const both = { ...object('v1', { a: 1, b: 2 }), kind: 'Pair' };
  const shown = Pair.conversion?.convert(both, 'cache.example.com/v0') ?? {};
  assert.deepEqual(Pair.conversion?.convert(shown, 'cache.example.com/v1'), both);
});

test('rules about changes are not run, so whoever edits the annotation changes what is immutable in the hub', () => {
  const Fixed = defineKind({
    group: 'cache.example.com',
    kind: 'Cache',
    hub: 'v1',
    versions: {
      v0: { spec: z.object({}) },
      v1: {
        storage: true,
        spec: z.object({ workload: z.string().optional() }),
        rules: [rule('self.spec == oldSelf.spec')],
      },
    },
    conversions: { v0: {} },
  });
  const shown = to('v0', object('v1', { workload: 'StatefulSet' }), [], Fixed as unknown as typeof Cache);
  const text = shown.metadata.annotations?.[annotation]?.replace('StatefulSet', 'Deployment') ?? '';
  const warnings: string[] = [];
  const { spec } = to('v1', annotated(shown, text), warnings, Fixed as unknown as typeof Cache);
  assert.deepEqual([spec, warnings], [{ workload: 'Deployment' }, []]);
});

test('what is wrong already keeps nothing from coming back', () => {
  const { spec } = to('v1', edited(to('v1alpha1', rich), { size: 1000 }));
  assert.deepEqual([spec.size, spec.workload], [1000, 'StatefulSet']);
});

test('more than an annotation takes is told in it, and can only be written where it can be said', () => {
  const large = object('v1', { size: 2, workload: 'Deployment', notes: 'x'.repeat(300_000) });
  const shown = to('v1alpha1', large);
  assert.deepEqual(shown.metadata.annotations, { [annotation]: '{"v1":"too large"}' });
  assert.throws(() => to('v1', shown), {
    message: 'it has more in v1 than an annotation could keep in v1alpha1: read and write it in v1',
  });
});

for (const [stored, marked, shown] of [
  ['v1', 'v1alpha1', 'v1alpha1'],
  ['v1alpha1', 'v1', 'v1'],
  ['v1alpha1', 'v1beta1', 'v1beta1'], // by way of v1, which is not stored
  ['v1', 'v1beta1', 'v1alpha1'],
] as const) {
  test(`that there is more in ${marked} is not believed of what is stored in ${stored}, and told`, () => {
    const [kind, start] = [cacheStoredIn(stored), object(stored, { size: 2 })];
    const warnings: string[] = [];
    const converted = to(shown, annotated(start, { [marked]: 'too large' }), warnings, kind);
    assert.deepEqual(converted, to(shown, start, [], kind));
    assert.deepEqual(warnings, [`the annotation ${annotation} has a mark that is never stored, and ignored`]);
  });
}

test('more than an annotation takes is refused where it would be stored', () => {
  const large = object('v1', { size: 2, workload: 'Deployment', notes: 'x'.repeat(300_000) });
  assert.throws(() => to('v1alpha1', large, [], cacheStoredIn('v1alpha1')), {
    message: 'it is stored in v1alpha1, and has more in v1 than an annotation can keep there (256 KiB in all)',
  });
});

test('a function that fails is named', () => {
  const broken = object('v1', { size: 1, memory: 7, workload: 'Deployment' });
  assert.throws(() => to('v1alpha1', broken), /^Error: fromHub of v1alpha1: memory\.endsWith is not a function$/);
});

test('a version that the kind does not have is refused', () => {
  assert.throws(() => to('v2', rich), {
    name: 'RangeError',
    message:
      'Cache has the versions cache.example.com/v1alpha1, cache.example.com/v1beta1, cache.example.com/v1, not cache.example.com/v2',
  });
});

test('an object that is in its version already is left alone', () => {
  assert.equal(to('v1', rich), rich);
});
