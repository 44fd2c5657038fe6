import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '../object.ts';
import type { Resource } from '../resource/resource.ts';
import type { Attributes } from './attributes.ts';
import { isExempt, type MatchCriteria, matchOf, mayMatch, type Rule } from './match.ts';

const resource = (group: string, version: string, plural: string, collection = plural): Resource =>
  ({ group, version, resource: plural, kind: 'Kind', collection, subresources: new Map() }) as unknown as Resource;

const v1 = resource('cache.example.com', 'v1', 'memcacheds');
const v1alpha1 = resource('cache.example.com', 'v1alpha1', 'memcacheds');
const namespaces = resource('', 'v1', 'namespaces');
const nodes = resource('', 'v1', 'nodes');

const object = (labels: Record<string, string> = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Kind',
  metadata: { name: 'a', labels },
});

const context = {
  registry: { all: () => [v1, v1alpha1, namespaces, nodes] },
  objects: {
    find: (_: string, key: string) => (key === 'gone' ? undefined : object({ team: key })),
    list: () => [],
  },
};

const written = (more: Partial<Attributes> = {}): Attributes =>
  ({
    operation: 'CREATE',
    resource: v1,
    subresource: '',
    kind: { group: 'cache.example.com', version: 'v1', kind: 'Memcached' },
    namespace: 'blue',
    name: 'a',
    object: object(),
    old: undefined,
    ...more,
  }) as Attributes;

const rule = (more: Rule = {}): Rule => ({
  operations: ['CREATE'],
  apiGroups: ['cache.example.com'],
  apiVersions: ['v1'],
  resources: ['memcacheds'],
  ...more,
});

const all = rule({ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] });

const cases: readonly [sentence: string, criteria: MatchCriteria, attributes: Attributes, matched?: Resource][] = [
  ['a rule matches what it names', { rules: [rule()] }, written(), v1],
  ['no rules match nothing', { rules: [] }, written()],
  ['rules that are not there match everything', { rules: undefined }, written(), v1],
  ['another operation is not matched', { rules: [rule()] }, written({ operation: 'UPDATE' })],
  ['stars match everything', { rules: [all] }, written({ operation: 'DELETE' }), v1],
  ['a star for the resources leaves subresources out', { rules: [all] }, written({ subresource: 'status' })],
  [
    'a subresource is named behind a slash, by stars too',
    { rules: [rule({ resources: ['*/status'] })] },
    written({ subresource: 'status' }),
    v1,
  ],
  [
    'another version is matched if it is equivalent',
    { rules: [rule({ apiVersions: ['v1alpha1'] })], matchPolicy: 'Equivalent' },
    written(),
    v1alpha1,
  ],
  ['and not otherwise', { rules: [rule({ apiVersions: ['v1alpha1'] })], matchPolicy: 'Exact' }, written()],
  [
    'the version that was asked for comes before others',
    { rules: [rule({ apiVersions: ['v1alpha1'] }), rule()], matchPolicy: 'Equivalent' },
    written(),
    v1,
  ],
  ['names are looked at where rules have some', { rules: [rule({ resourceNames: ['b'] })] }, written()],
  ['what is excluded is not matched', { rules: undefined, excluded: [rule()] }, written()],
  ['an object is selected by its labels', { rules: [all], objectSelector: { matchLabels: { a: 'b' } } }, written()],
  [
    'the old object will do',
    { rules: [all], objectSelector: { matchLabels: { a: 'b' } } },
    written({ old: object({ a: 'b' }) }),
    v1,
  ],
  [
    'a namespace is selected by its labels',
    { rules: [all], namespaceSelector: { matchLabels: { team: 'blue' } } },
    written(),
    v1,
  ],
  ['and left out by them', { rules: [all], namespaceSelector: { matchLabels: { team: 'red' } } }, written()],
  [
    'a namespace that is made counts with its own labels',
    { rules: [all], namespaceSelector: { matchLabels: { team: 'red' } } },
    written({ resource: namespaces, namespace: 'a', object: object({ team: 'red' }) }),
    namespaces,
  ],
  [
    'one that is deleted with those that it has',
    { rules: [all], namespaceSelector: { matchLabels: { team: 'red' } } },
    written({ resource: namespaces, namespace: 'a', operation: 'DELETE', object: undefined }),
  ],
  [
    'what is in no namespace is selected',
    { rules: [all], namespaceSelector: { matchLabels: { team: 'red' } } },
    written({ resource: nodes, namespace: '' }),
    nodes,
  ],
  ['the scope of a rule leaves out what is in a namespace', { rules: [{ ...all, scope: 'Cluster' }] }, written()],
  [
    'a namespace is in none',
    { rules: [{ ...all, scope: 'Namespaced' }] },
    written({ resource: namespaces, namespace: 'a' }),
  ],
];

for (const [sentence, criteria, attributes, matched] of cases) {
  test(`matching: ${sentence}`, () => assert.equal(matchOf(context, criteria, attributes)?.resource, matched));
}

test('a namespace that is not there is missed only by a write that is concerned', () => {
  const namespaceSelector = { matchLabels: { team: 'red' } };
  const gone = written({ namespace: 'gone' });
  assert.throws(() => matchOf(context, { rules: [all], namespaceSelector }, gone), /namespaces "gone" not found/);
  assert.equal(matchOf(context, { rules: [], namespaceSelector }, gone), undefined);
});

test('whether rules may match is known by resource and operation', () => {
  assert.equal(mayMatch([rule()], v1alpha1, '', 'CREATE'), true, 'the version may be equivalent');
  assert.equal(mayMatch([rule()], v1, '', 'DELETE'), false);
  assert.equal(mayMatch([rule()], v1, 'status', 'CREATE'), false);
  assert.equal(mayMatch([rule()], nodes, '', 'CREATE'), false);
});

test('configurations of admission are exempt from it', () => {
  const exempt = (group: string, kind: string) => isExempt({ kind: { group, version: 'v1', kind } });
  const group = 'admissionregistration.k8s.io';
  assert.ok(exempt(group, 'MutatingWebhookConfiguration') && exempt(group, 'ValidatingAdmissionPolicyBinding'));
  assert.ok(!exempt('example.com', 'MutatingWebhookConfiguration') && !exempt(group, 'Other'));
});
