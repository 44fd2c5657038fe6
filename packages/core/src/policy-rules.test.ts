import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, byLabel, removable, watch } from './declaration.ts';
import { Deployment } from './generated/apps/v1.ts';
import { ConfigMap, Namespace, Pod, Secret, Service } from './generated/v1.ts';
import { explainRules, type PolicyRule, rulesFor, rulesOf } from './policy-rules.ts';

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

test('each rule is explained by the declarations that need some of its verbs, and no rule is left out', () => {
  const web = {
    name: 'web',
    controllers: [
      { for: ConfigMap, owns: [removable(Pod)], finalizer: 'example.com/cleanup', needs: [allow(Pod, 'get')] },
      {
        name: 'spaces',
        for: Namespace,
        refers: [{ to: Secret, by: () => 'a' }],
        watches: [watch(Pod, { to: byLabel('a') })],
      },
    ],
    tasks: [{ name: 'sweep', needs: [allow(Service, 'list')] }],
    needs: [{ kind: { group: 'x.io', resource: 'things' }, verbs: ['get'] as const }],
    leaderElection: true,
    secureMetrics: true,
  };
  const explained = explainRules(web);
  assert.deepEqual(
    explained.map(({ rule }) => rule),
    rulesOf(web),
  );
  const because = Object.fromEntries(
    explained.map(({ rule, neededBy }) => [
      rule.resources[0],
      neededBy.map(({ declaration, verbs }) => `${declaration}: ${verbs.join(' ')}`),
    ]),
  );
  assert.deepEqual(because, {
    configmaps: [
      'controller configmap is for ConfigMap: get list watch',
      'controller configmap has a finalizer: patch',
    ],
    'configmaps/finalizers': ['controller configmap owns Pod: update'],
    namespaces: ['controller spaces is for Namespace: get list watch'],
    'namespaces/status': ['controller spaces is for Namespace: patch'],
    pods: [
      'controller configmap owns Pod: get list watch create patch',
      'controller configmap owns removable Pod: delete',
      'controller configmap needs Pod: get',
      'controller spaces watches Pod: get list watch',
    ],
    secrets: ['controller spaces refers to Secret: get list watch'],
    services: ['task sweep needs Service: list'],
    things: ['the operator needs things: get'],
    deployments: ['the operator has leaderElection: get'],
    leases: ['the operator has leaderElection: get watch create update'],
    tokenreviews: ['the operator has secureMetrics: create'],
    subjectaccessreviews: ['the operator has secureMetrics: create'],
    events: ['the operator records Events: create patch'],
  });
});
