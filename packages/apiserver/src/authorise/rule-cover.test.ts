import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '@keelson/core/rbac/v1';
import { compacted, ruleText, uncovered } from './rule-cover.ts';

const rule = (verbs: string, resources: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [''],
  resources: resources.split(' '),
  ...more,
});
const paths = (verbs: string, ...nonResourceURLs: readonly string[]): PolicyRule => ({
  verbs: verbs.split(' '),
  nonResourceURLs,
});

/** Held, wanted, and what is missing. */
const cases: readonly (readonly [readonly PolicyRule[], readonly PolicyRule[], readonly string[]])[] = [
  [[rule('get list', 'pods')], [rule('get', 'pods'), rule('list', 'pods')], []],
  [[rule('get', 'pods'), rule('list', 'pods')], [rule('get list', 'pods')], []],
  [[rule('*', 'pods')], [rule('*', 'pods')], []],
  [[rule('get', 'pods')], [rule('*', 'pods')], ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}']],
  [[rule('*', '*', { apiGroups: ['*'] })], [rule('get', 'a/b', { apiGroups: ['x'], resourceNames: ['n'] })], []],
  [[rule('get', '*/scale')], [rule('get', 'pods/scale */scale')], []],
  [[rule('get', '*/scale')], [rule('get', 'pods')], ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
  [
    [rule('get', 'pods', { resourceNames: ['a'] })],
    [rule('get', 'pods')],
    ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
  ],
  [
    [rule('get', 'pods', { resourceNames: ['a'] })],
    [rule('get list', 'pods', { resourceNames: ['a', 'b'] })],
    [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["list"]}',
    ],
  ],
  [[paths('get', '/a/*')], [paths('get', '/a/b', '/a/*')], []],
  [
    [paths('get', '/a/*')],
    [paths('get post', '/a/b', '/b')],
    [
      '{NonResourceURLs:["/a/b"], Verbs:["post"]}',
      '{NonResourceURLs:["/b"], Verbs:["get"]}',
      '{NonResourceURLs:["/b"], Verbs:["post"]}',
    ],
  ],
  // A rule on resources says nothing of paths, whatever stars it has.
  [[rule('*', '*', { apiGroups: ['*'] })], [paths('get', '/a')], ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
  [[], [], []],
];

for (const [held, wanted, missing] of cases) {
  test(`whoever holds ${JSON.stringify(held)} lacks ${missing.length} of ${JSON.stringify(wanted)}`, () => {
    assert.deepEqual(compacted(uncovered(held, wanted)).map(ruleText), missing);
  });
}
