import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, byLabel, removable, watch } from './declaration.ts';
import { Deployment } from './generated/apps/v1.ts';
import { ConfigMap, Namespace, Pod, Secret, Service } from './generated/v1.ts';
import { type PolicyRule, rulesFor } from './policy-rules.ts';

const printed = (rules: readonly PolicyRule[]) =>
  rules.map(({ apiGroups, resources, verbs }) => `${apiGroups}/${resources}: ${verbs.join(' ')}`);

test('a declaration yields exactly the verbs that its controller uses', () => {
  const rules = rulesFor({
    for: ConfigMap,
    owns: [Deployment, removable(Service)],
    watches: [watch(Pod, { to: byLabel('app') })],
    needs: [allow(Secret, 'get')],
  });
  assert.deepEqual(printed(rules), [
    '/configmaps: get list watch',
    '/configmaps/finalizers: update',
    '/pods: get list watch',
    '/secrets: get',
    '/services: get list watch create patch delete',
    'apps/deployments: get list watch create patch',
  ]);
});

test('a controller that owns nothing needs no right on finalizers', () => {
  assert.deepEqual(printed(rulesFor({ for: Namespace })), ['/namespaces: get list watch', '/namespaces/status: patch']);
});

test('a finalizer is set and taken away by a patch of the object', () => {
  const rules = rulesFor({ for: Namespace, finalizer: 'example.com/cleanup' });
  assert.deepEqual(printed(rules), ['/namespaces: get list watch patch', '/namespaces/status: patch']);
});

test('rules of several declarations are joined, a verb standing once', () => {
  const rules = rulesFor({ for: Pod, needs: [allow(Pod, 'delete', 'get')] }, { for: Namespace, owns: [Pod] });
  assert.ok(printed(rules).includes('/pods: get list watch create patch delete'));
});
