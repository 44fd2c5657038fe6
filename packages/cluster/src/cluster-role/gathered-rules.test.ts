import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRole, PolicyRule } from '@keelson/core/rbac/v1';
import { gatheredRules } from './gathered-rules.ts';

const role = (name: string, labels: Record<string, string>, ...rules: PolicyRule[]): ClusterRole => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels, uid: name, resourceVersion: '1', creationTimestamp: '' },
  rules,
});
const gathering = (name: string, ...labels: Record<string, string>[]): ClusterRole => ({
  ...role(name, { a: '1' }),
  aggregationRule: { clusterRoleSelectors: labels.map((matchLabels) => ({ matchLabels })) },
});
const get = (resource: string): PolicyRule => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
const [pods, secrets, nodes] = [get('pods'), get('secrets'), get('nodes')];

const others = [
  role('z', { a: '1' }, pods),
  role('b', { a: '1' }, secrets, pods),
  role('c', { b: '1' }, nodes),
  role('d', {}, nodes),
];

test('a role without a selector gathers nothing', () => {
  assert.equal(gatheredRules(role('x', {}, pods), others), undefined);
});

test('rules come in the order of the names, each once', () => {
  assert.deepEqual(gatheredRules(gathering('x', { a: '1' }), others), [secrets, pods]);
});

test('selectors come one after the other, and a role does not gather from itself', () => {
  const both = gathering('x', { b: '1' }, { a: '1' });
  assert.deepEqual(gatheredRules(both, [...others, { ...both, rules: [nodes] }]), [nodes, secrets, pods]);
});

test('nothing selected leaves no rules', () => {
  assert.deepEqual(gatheredRules(gathering('x', { none: '1' }), others), []);
});
