import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deploymentControllerFiles } from './controller-files.ts';
import { kindFiles } from './kind-files.ts';
import {
  controllerIdentifier,
  domainProblem,
  fileNameOf,
  groupOf,
  groupProblem,
  kindOf,
  kindProblem,
  operatorIdentifier,
  ownKindProblem,
  projectNameProblem,
  variableOf,
  versionProblem,
} from './names.ts';

const long = 'a'.repeat(64);

for (const { rule, good, bad } of [
  {
    rule: projectNameProblem,
    good: ['website-operator', 'a', 'a--1', 'a'.repeat(55)],
    bad: ['', 'Website', '3scale', 'a_b', '-a', 'a-', 'a.b', 'a'.repeat(56)],
  },
  { rule: versionProblem, good: ['v1', 'v1alpha1', 'v2beta3', 'next'], bad: ['', '1', 'V1', 'v1.2', 'v1_', long] },
  {
    rule: domainProblem,
    good: ['example.com', 'my.company.example'],
    bad: ['', 'localhost', 'Example.com', 'a..b', 'k8s.io', 'x.kubernetes.io', '-a.b', `${'a.'.repeat(127)}b`],
  },
  { rule: groupProblem, good: ['', 'cache', 'cache.example.com'], bad: ['Cache', 'a_b', 'apps.k8s.io', 'a b', '1a'] },
  {
    rule: kindProblem,
    good: ['Memcached', 'HTTPRoute', 'A1', 'Deployment'],
    bad: ['', 'memcached', 'Mem-cached', '1A', 'É', `A${long}`],
  },
  {
    rule: ownKindProblem,
    good: ['Memcached', 'Website', `A${'b'.repeat(58)}`],
    bad: ['memcached', `A${'b'.repeat(59)}`, 'Deployment', 'InputOf', 'Promise'],
  },
]) {
  test(`${rule.name} takes what the API server takes, and nothing else`, () => {
    for (const text of good) assert.equal(rule(text), undefined, text);
    for (const text of bad) assert.ok(rule(text)?.startsWith(`"${text}" `), text);
  });
}

test('identifiers and files follow from names', () => {
  for (const [name, kind, operator] of [
    ['website-operator', 'Website', 'websiteOperator'],
    ['website', 'Website', 'websiteOperator'],
    ['my-web-site-operator', 'MyWebSite', 'myWebSiteOperator'],
    ['a--1-operator', 'A1', 'a1Operator'],
    ['operator', 'Operator', 'myOperator'],
  ] as const) {
    assert.deepEqual([kindOf(name), operatorIdentifier(name)], [kind, operator]);
  }
  for (const [kind, file, controller] of [
    ['Memcached', 'memcached', 'memcachedController'],
    ['MemcachedCluster', 'memcached-cluster', 'memcachedClusterController'],
    ['HTTPRoute', 'http-route', 'httpRouteController'],
    ['DNS', 'dns', 'dnsController'],
    ['Web2', 'web2', 'web2Controller'],
  ] as const) {
    assert.deepEqual([fileNameOf(kind), controllerIdentifier(kind)], [file, controller]);
  }
});

test('no kind is called what its files import', () => {
  const files = [
    ...kindFiles({ group: 'a.b', version: 'v1', kind: 'Own' }, 'i'),
    ...deploymentControllerFiles('Own', 'o'),
  ];
  const lists = files.flatMap(({ text }) =>
    [...text.matchAll(/^import (?:type )?\{(.*)\}/gm)].map(([, list = '']) => list),
  );
  const imported = lists.flatMap((list) => list.match(/\b[A-Z]\w*/g) ?? []).filter((name) => !name.startsWith('Own'));
  assert.ok(imported.includes('NewDeployment') && imported.includes('StatusInputOf'));
  for (const name of imported) assert.match(ownKindProblem(name) ?? '', /means something else/, name);
});

test('a group is a label in the domain, or whole', () => {
  assert.equal(groupOf('cache', 'example.com'), 'cache.example.com');
  assert.equal(groupOf('', 'example.com'), 'example.com');
  assert.equal(groupOf('cache.other.org', 'example.com'), 'cache.other.org');
});

test('a variable is none of the language, and none that means something else', () => {
  assert.equal(variableOf('Website', ['status']), 'website');
  assert.equal(variableOf('Status', ['status']), 'object');
  assert.equal(variableOf('Function', []), 'object');
});
