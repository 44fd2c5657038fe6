import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinitionVersion } from '@keelson/core/apiextensions/v1';
import { rule } from '@keelson/schema/rules';
import { z } from 'zod';
import { conditions } from './conditions.ts';
import { crdOf } from './crd.ts';
import type { KindDefinition, VersionDefinition } from './definition.ts';

function definition(version: Partial<VersionDefinition> = {}, rest: Partial<KindDefinition> = {}): KindDefinition {
  const v1 = { storage: true, spec: z.object({ size: z.int32().default(1) }), ...version };
  return { group: 'cache.example.com', kind: 'Cache', hub: 'v1', versions: { v1 }, ...rest };
}

/** A kind with the hub v2 that is stored as v1. */
function several(v1: Partial<VersionDefinition>, v2: Partial<VersionDefinition>): KindDefinition {
  const size = z.object({ size: z.int32().default(1) });
  const versions = { v1: { storage: true, spec: size, ...v1 }, v2: { spec: size, ...v2 } };
  return { group: 'cache.example.com', kind: 'Cache', hub: 'v2', versions };
}

function versionOf(
  version: Partial<VersionDefinition>,
  rest: Partial<KindDefinition> = {},
): CustomResourceDefinitionVersion {
  const [first] = crdOf({ definition: definition(version, rest) }).spec.versions;
  assert.ok(first);
  return first;
}

const rootOf = (version: Partial<VersionDefinition>, rest: Partial<KindDefinition> = {}) =>
  versionOf(version, rest).schema?.openAPIV3Schema;

test('names follow from the kind', () => {
  const { metadata, spec } = crdOf({ definition: definition() });
  assert.equal(metadata.name, 'caches.cache.example.com');
  assert.deepEqual(spec.names, { plural: 'caches', singular: 'cache', kind: 'Cache', listKind: 'CacheList' });
  assert.equal(spec.scope, 'Namespaced');
});

test('the plural is that of an English word', () => {
  for (const [kind, plural] of [
    ['Memcached', 'memcacheds'],
    ['Echo', 'echos'],
    ['NetworkPolicy', 'networkpolicies'],
    ['Gateway', 'gateways'],
    ['Redis', 'redises'],
    ['Mailbox', 'mailboxes'],
    ['Quiz', 'quizes'],
    ['Stash', 'stashes'],
    ['Batch', 'batches'],
    ['Graph', 'graphs'],
  ] as const) {
    assert.equal(crdOf({ definition: definition({}, { kind }) }).spec.names.plural, plural);
  }
});

test('names can be given', () => {
  const names = { plural: 'stashes', singular: 'stash', shortNames: ['st'], categories: ['all'] };
  const { metadata, spec } = crdOf({ definition: definition({}, { ...names, kind: 'Stash', scope: 'Cluster' }) });
  assert.equal(metadata.name, 'stashes.cache.example.com');
  assert.deepEqual(spec.names, { ...names, kind: 'Stash', listKind: 'StashList' });
  assert.equal(spec.scope, 'Cluster');
});

test('a spec that may be empty has the default {}, so that the defaults inside it apply', () => {
  const root = rootOf({});
  assert.deepEqual(root?.properties?.spec?.default, {});
  assert.equal(root?.required, undefined);
});

test('a spec with required fields is required itself', () => {
  const root = rootOf({ spec: z.object({ image: z.string() }) });
  assert.equal(root?.properties?.spec?.default, undefined);
  assert.deepEqual(root?.required, ['spec']);
});

test('a spec whose rules refuse an empty one is required, and one whose rules do not is not', () => {
  const ruled = (text: string) =>
    z
      .object({ size: z.int32().default(1), limit: z.int32().optional() })
      .meta({ 'x-kubernetes-validations': [rule(text)] });
  assert.deepEqual(rootOf({ spec: ruled('has(self.limit)') })?.required, ['spec']);
  const root = rootOf({ spec: ruled('!has(self.limit) || self.size <= self.limit') });
  assert.deepEqual([root?.required, root?.properties?.spec?.default], [undefined, {}]);
});

test('nothing in a status is required, and observedGeneration is there', () => {
  const { schema, subresources } = versionOf({ status: z.object({ nodes: z.array(z.object({ name: z.string() })) }) });
  const status = schema?.openAPIV3Schema?.properties?.status;
  assert.equal(status?.required, undefined);
  assert.deepEqual(Object.keys(status?.properties ?? {}), ['nodes', 'observedGeneration']);
  assert.deepEqual(subresources, { status: {} });
});

test('a kind without a status has no status subresource', () => {
  assert.equal(versionOf({}).subresources, undefined);
});

test('rules and description of a kind stand on the whole object', () => {
  const rules = [rule('self.metadata.name.size() <= 63', { message: 'at most 63 characters' })];
  const root = rootOf({}, { rules, description: 'Remembers things.' });
  assert.deepEqual(root?.['x-kubernetes-validations'], rules);
  assert.equal(root?.description, 'Remembers things.');
});

test('scale, selectable fields and a deprecation are passed on', () => {
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const version = versionOf({
    status: z.object({ size: z.int32() }),
    subresources: { scale },
    selectableFields: ['.spec.size'],
    deprecated: 'use v2',
  });
  assert.deepEqual(version.subresources, { status: {}, scale });
  assert.deepEqual(version.selectableFields, [{ jsonPath: '.spec.size' }]);
  assert.equal(version.deprecated, true);
  assert.equal(version.deprecationWarning, 'use v2');
});

const columns: readonly (readonly [what: string, version: Partial<VersionDefinition>, expected: readonly string[]])[] =
  [
    ['the age alone', {}, ['Age date 0']],
    [
      'the declared conditions, all but the first wide',
      { status: z.object({ conditions: conditions('Ready', 'Degraded') }) },
      ['Ready string 0', 'Degraded string 1', 'Age date 0'],
    ],
    [
      "the author's, with the types of their fields",
      {
        spec: z.object({ size: z.int32().default(1), since: z.iso.datetime().optional(), on: z.boolean().optional() }),
        printerColumns: [
          { name: 'Size', jsonPath: '.spec.size' },
          { name: 'Since', jsonPath: '.spec.since' },
          { name: 'On', jsonPath: '.spec.on', priority: 1 },
          { name: 'Owner', jsonPath: '.metadata.labels.owner' },
        ],
      },
      ['Size integer 0', 'Since date 0', 'On boolean 1', 'Owner string 0', 'Age date 0'],
    ],
    [
      "the author's age, once",
      { printerColumns: [{ name: 'Old', type: 'date', jsonPath: '.metadata.creationTimestamp' }] },
      ['Old date 0'],
    ],
  ];

for (const [what, version, expected] of columns) {
  test(`the columns are ${what}`, () => {
    const shown = versionOf(version).additionalPrinterColumns ?? [];
    assert.deepEqual(
      shown.map(({ name, type, priority = 0 }) => `${name} ${type} ${priority}`),
      expected,
    );
  });
}

test('versions have their own schema, columns, deprecation and rules beside those of the kind', () => {
  const everywhere = rule('self.metadata.name.size() <= 63');
  const own = rule('self.spec.replicas < 9');
  const { versions, conversion } = crdOf({
    definition: {
      ...several(
        { served: false, deprecated: true, printerColumns: [{ name: 'Size', jsonPath: '.spec.size' }] },
        { spec: z.object({ replicas: z.int32() }), selectableFields: ['.spec.replicas'], rules: [own] },
      ),
      conversion: 'None',
      rules: [everywhere],
    },
  }).spec;
  const [v1, v2] = versions;
  assert.equal(conversion, undefined); // None is what the server takes for granted
  assert.deepEqual(
    [v1?.served, v1?.storage, v1?.deprecated, v2?.served, v2?.storage],
    [false, true, true, true, false],
  );
  assert.deepEqual(
    v1?.additionalPrinterColumns?.map(({ name }) => name),
    ['Size', 'Age'],
  );
  assert.deepEqual(v1?.schema?.openAPIV3Schema?.['x-kubernetes-validations'], [everywhere]);
  assert.deepEqual(
    v2?.additionalPrinterColumns?.map(({ name }) => name),
    ['Age'],
  );
  assert.deepEqual(v2?.schema?.openAPIV3Schema?.['x-kubernetes-validations'], [everywhere, own]);
  assert.deepEqual(Object.keys(v2?.schema?.openAPIV3Schema?.properties?.spec?.properties ?? {}), ['replicas']);
});

test('versions that differ in limits, defaults and texts alone lose nothing, and need no conversion', () => {
  const differing = several(
    {
      spec: z.object({
        size: z.int32().max(5).default(1),
        rest: z.looseObject({ a: z.string().optional() }).optional(),
      }),
    },
    { spec: z.object({ size: z.int32().describe('How many.').default(3), rest: z.looseObject({}).optional() }) },
  );
  assert.equal(crdOf({ definition: differing }).spec.versions.length, 2);
});

const differing = several({ spec: z.object({ a: z.string() }) }, { spec: z.object({}) });
const service = { namespace: 'caches', name: 'cache-operator-webhook', path: '/convert' };

test('versions that are converted may differ, and the CRD says where that is done', () => {
  const { spec } = crdOf({ definition: { ...differing, conversions: { v1: {} } } }, { conversion: { service } });
  assert.deepEqual(spec.conversion, {
    strategy: 'Webhook',
    webhook: { clientConfig: { service }, conversionReviewVersions: ['v1'] },
  });
});

test('a CRD does not leave its conversions out', () => {
  assert.throws(() => crdOf({ definition: { ...differing, conversions: { v1: {} } } }), {
    name: 'TypeError',
    message: /^Cache has conversions, and its CRD must say where they are served: crdOf\(kind, \{ conversion/,
  });
});

test('where conversions are served is of no account to a kind without any', () => {
  assert.equal(crdOf({ definition: definition() }, { conversion: { service } }).spec.conversion, undefined);
});

test('with conversions, each version that differs from the hub has one', () => {
  const { versions, ...rest } = differing;
  const v0 = { spec: z.object({ b: z.string() }) };
  const definition: KindDefinition = { ...rest, versions: { ...versions, v0 }, conversions: { v1: {} } };
  assert.throws(() => crdOf({ definition }), /versions\.v2: it lacks spec\.b of v0, .* conversions: \{ v0: /);
});

test('labels and annotations stand on the definition of the custom resource', () => {
  const metadata = { labels: { team: 'a' }, annotations: { 'example.com/owner': 'b' } };
  assert.deepEqual(crdOf({ definition: definition({}, { metadata }) }).metadata, {
    name: 'caches.cache.example.com',
    ...metadata,
  });
});

test('a version in which nobody can write loses nothing, unless objects are stored in it', () => {
  const { versions, ...rest } = several({}, {});
  const old = { served: false, spec: z.object({}) };
  const withOld = { ...rest, versions: { v0: old, ...versions } };
  assert.equal(crdOf({ definition: withOld }).spec.versions.length, 3);
  const served = { ...rest, versions: { v0: { ...old, served: true }, ...versions } };
  assert.throws(() => crdOf({ definition: served }), /versions\.v0: it lacks spec\.size of v1/);
  const stored = { ...rest, versions: { v0: { ...old, storage: true }, v2: { spec: z.object({ size: z.int32() }) } } };
  assert.throws(() => crdOf({ definition: stored }), /versions\.v0: it lacks spec\.size of v2/);
});

const spec = z.object({});
const refused: readonly (readonly [what: string, definition: KindDefinition, message: RegExp])[] = [
  ['a group without a dot', definition({}, { group: 'cache' }), /group: "cache" is no domain name/],
  ['a group in capitals', definition({}, { group: 'Cache.example.com' }), /group: .* in lower case/],
  ["Kubernetes' own groups", definition({}, { group: 'cache.k8s.io' }), /belongs to the Kubernetes project/],
  ['a kind in lower case', definition({}, { kind: 'cache' }), /kind: "cache" is not in CamelCase/],
  ['a kind whose list has too long a name', definition({}, { kind: `A${'b'.repeat(59)}` }), /kind: "Ab+" is not .* 59/],
  ['a kind with a dash', definition({}, { kind: 'Mem-Cache' }), /kind: "Mem-Cache"/],
  ['a plural in capitals', definition({}, { plural: 'Caches' }), /plural: "Caches"/],
  ['a short name with a space', definition({}, { shortNames: ['my cache'] }), /shortNames: "my cache"/],
  ['a version in capitals', definition({}, { hub: 'V1', versions: { V1: { storage: true, spec } } }), /versions: "V1"/],
  ['no storage version', definition({ storage: false }), /one version, not in none/],
  [
    'two storage versions',
    definition({}, { versions: { v1: { storage: true, spec }, v2: { storage: true, spec } } }),
    /not in v1 and v2/,
  ],
  ['a hub that is no version', definition({}, { hub: 'v2' }), /the hub v2 is none of them/],
  ['a hub that is not served', definition({ served: false }), /the hub v1 is not served/],
  [
    'a field of one version alone',
    several({ spec: z.object({ a: z.string() }) }, { spec }),
    /\n {2}versions\.v2: it lacks spec\.a of v1, so that a write in v2 loses that: convert it with conversions: \{ v1: \{ toHub, fromHub \} \}, .* conversion: 'None'/,
  ],
  [
    'fields of several types, items and maps among them',
    several(
      { spec: z.object({ a: z.int(), list: z.array(z.object({ b: z.int() })), map: z.record(z.string(), z.int()) }) },
      { spec: z.object({ a: z.string(), list: z.array(z.object({})), map: z.object({}) }) },
    ),
    /v2: it lacks spec\.a \(integer\), spec\.list\[\]\.b, spec\.map\.\* of v1/,
  ],
  [
    'unknown fields in one version alone',
    several({ spec: z.looseObject({}) }, { spec }),
    /v2: it lacks spec\.\* of v1/,
  ],
  [
    'a conversion of what is no version',
    { ...several({}, {}), conversions: { v3: {} } },
    /\n {2}conversions\.v3: it is none of the versions/,
  ],
  [
    'a conversion of the hub',
    { ...several({}, {}), conversions: { v2: {} } },
    /\n {2}conversions\.v2: it is the hub, to and from which the others convert/,
  ],
  [
    "conversions beside 'None'",
    { ...several({}, {}), conversion: 'None', conversions: { v1: {} } },
    /\n {2}conversions: conversion: 'None' says that there are none/,
  ],
  [
    'a rule that does not fit one of the versions',
    several({}, { rules: [rule('self.spec.sise > 0')] }),
    /\n {2}v2: x-kubernetes-validations\[0\]\.rule: .*undefined field 'sise'/,
  ],
  [
    'a label that is none',
    definition({}, { metadata: { labels: { 'not a key': '' } } }),
    /\n {2}metadata\.labels: .*name part must consist of/,
  ],
  [
    'a field of the spec, by its path',
    definition({ spec: z.object({ at: z.date() }) }),
    /\n {2}spec\.at: JSON has no dates/,
  ],
  ['a field of the status', definition({ status: z.object({ at: z.date() }) }), /\n {2}status\.at: JSON has no dates/],
  [
    'observedGeneration twice',
    definition({ status: z.object({ observedGeneration: z.int() }) }),
    /status\.observedGeneration: it is added/,
  ],
  [
    'a column of no field',
    definition({ printerColumns: [{ name: 'X', jsonPath: '.spec.sise' }] }),
    /\.spec\.sise, which is no field/,
  ],
  [
    'a scale of no field',
    definition({ subresources: { scale: { specReplicasPath: '.spec.sise', statusReplicasPath: '.spec.size' } } }),
    /specReplicasPath names \.spec\.sise/,
  ],
  [
    'selecting by an object',
    definition({ selectableFields: ['.spec'] }),
    /\.spec, where there is no field of the type string, integer, boolean/,
  ],
];

for (const [what, refusedDefinition, message] of refused) {
  test(`a definition cannot have ${what}`, () => {
    assert.throws(() => crdOf({ definition: refusedDefinition }), { name: 'TypeError', message });
  });
}

test('all problems are named at once, one sentence each', () => {
  const twice = definition({ spec: z.object({ a: z.date(), b: z.bigint() }) });
  assert.throws(
    () => crdOf({ definition: twice }),
    (error: Error) => {
      const [head, ...lines] = error.message.split('\n');
      assert.equal(head, 'Cache cannot be defined in Kubernetes:');
      assert.deepEqual(
        lines.map((line) => line.split(':')[0]),
        ['  spec.a', '  spec.b'],
      );
      return lines.every((line) => line.endsWith('.'));
    },
  );
});

test('a type of condition is a name', () => {
  assert.throws(() => conditions('not ready'), /conditions: "not ready" is not a type in CamelCase/);
});
