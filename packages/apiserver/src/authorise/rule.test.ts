import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PolicyRule } from '@keelson/core/rbac/v1';
import type { Attributes } from './attributes.ts';
import { allows } from './rule.ts';

const on = (resource: string, more: object = {}): Attributes => ({
  type: 'resource',
  verb: 'get',
  group: '',
  subresource: '',
  namespace: 'a',
  name: '',
  ...more,
  resource,
});
const at = (path: string, verb = 'get'): Attributes => ({ type: 'other', verb, path });
const rule = (resources: readonly string[], more: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources,
  ...more,
});
const paths = (...nonResourceURLs: readonly string[]): PolicyRule => ({ verbs: ['get'], nonResourceURLs });

const cases: readonly (readonly [PolicyRule, Attributes, boolean])[] = [
  [rule(['pods']), on('pods'), true],
  [rule(['pods']), on('pods', { verb: 'list' }), false],
  [rule(['pods'], { verbs: ['*'] }), on('pods', { verb: 'list' }), true],
  [rule(['pods']), on('pods', { group: 'apps' }), false],
  [rule(['pods'], { apiGroups: ['*'] }), on('pods', { group: 'apps' }), true],
  [rule(['pods'], { apiGroups: ['apps', ''] }), on('pods'), true],
  [rule(['nodes']), on('pods'), false],
  [rule(['*']), on('pods'), true],
  [rule(['*']), on('pods', { subresource: 'log' }), true],
  [rule(['pods']), on('pods', { subresource: 'log' }), false],
  [rule(['pods/log']), on('pods', { subresource: 'log' }), true],
  [rule(['pods/log']), on('pods'), false],
  [rule(['*/log']), on('pods', { subresource: 'log' }), true],
  [rule(['*/log']), on('pods', { subresource: 'catalog' }), false],
  [rule(['*/log']), on('pods'), false],
  [rule(['pods/*']), on('pods', { subresource: 'log' }), false],
  [rule(['pods'], { resourceNames: ['a'] }), on('pods', { name: 'a' }), true],
  [rule(['pods'], { resourceNames: ['a'] }), on('pods', { name: 'b' }), false],
  [rule(['pods'], { resourceNames: ['a'] }), on('pods'), false],
  [rule(['pods'], { resourceNames: [] }), on('pods'), true],
  [rule(['pods']), at('/pods'), false],
  [paths('/a'), at('/a'), true],
  [paths('/a'), at('/a/'), false],
  [paths('/a'), at('/a', 'post'), false],
  [paths('/a/*'), at('/a/b'), true],
  [paths('/a/*'), at('/a'), false],
  [paths('*'), at('/a'), true],
  [paths('*'), on('pods'), false],
];

for (const [given, wanted, expected] of cases) {
  test(`${JSON.stringify(given)} ${expected ? 'allows' : 'does not allow'} ${JSON.stringify(wanted)}`, () => {
    assert.equal(allows(given, wanted), expected);
  });
}
