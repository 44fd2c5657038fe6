import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allow, byLabel, watch } from './declaration.ts';
import { Job } from './generated/batch/v1.ts';
import { ConfigMap, Node, Pod, Secret } from './generated/v1.ts';
import { operator } from './operator.ts';
import { type PolicyRule, rolesOf, rulesOf } from './policy-rules.ts';

const printed = (rules: readonly PolicyRule[]) =>
  rules.map(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      `${apiGroups}/${resources}${resourceNames ? `(${resourceNames})` : ''}: ${verbs.join(' ')}`,
  );

test('an operator without the engine declares what it needs as data and gets its rules', () => {
  const byHand = operator({
    name: 'echo-operator',
    controllers: [{ for: ConfigMap, owns: [Job], needs: [allow(Pod, 'list')] }],
    needs: [allow(Secret, 'get')],
    leaderElection: true,
  });
  assert.deepEqual(printed(rulesOf(byHand)), [
    '/configmaps: get list watch',
    '/configmaps/finalizers: update',
    '/pods: list',
    '/secrets: get',
    'apps/deployments(echo-operator): get',
    'batch/jobs: get list watch create patch',
    'coordination.k8s.io/leases: get watch create update',
    'events.k8s.io/events: create patch',
  ]);
});

test('rights on Leases and Events are only those that are declared', () => {
  const quiet = operator({ name: 'quiet', controllers: [{ for: Pod }], events: false });
  assert.deepEqual(printed(rulesOf(quiet)), ['/pods: get list watch', '/pods/status: patch']);
});

test('an operator that cannot work is refused with what was received', () => {
  const controllers = [{ for: ConfigMap }];
  assert.throws(() => operator({ name: 'Not A Name', controllers }), /received "Not A Name"/);
  assert.throws(() => operator({ name: 'a'.repeat(64), controllers }), /at most 63 characters/);
  assert.throws(() => operator({ name: 'empty', controllers: [] }), /controllers must not be empty/);
  const twice = [{ for: ConfigMap }, { for: Pod, name: 'configmap' }];
  assert.throws(() => operator({ name: 'twice', controllers: twice }), /two controllers are called "configmap"/);
  const both = [{ for: ConfigMap }, { for: ConfigMap, name: 'again' }];
  assert.throws(() => operator({ name: 'both', controllers: both }), /two controllers reconcile configmaps/);
});

test('an operator of some namespaces needs a Role in each, one for its Lease, and a ClusterRole for the rest', () => {
  const scoped = operator({
    name: 'scoped',
    controllers: [
      {
        for: ConfigMap,
        watches: [watch(Node, { to: byLabel('map') })],
        refers: [{ to: Secret, by: () => 'vault/key', namespaces: ['vault'] }],
      },
    ],
    leaderElection: true,
  });
  const roles = rolesOf(scoped, { namespace: 'system', namespaces: ['a', 'b'] });
  const inEach = ['/configmaps: get list watch', 'events.k8s.io/events: create patch'];
  assert.deepEqual(
    roles.map(({ namespace, rules }) => [namespace, printed(rules)]),
    [
      [undefined, ['/nodes: get list watch']],
      ['a', inEach],
      ['b', inEach],
      ['system', ['apps/deployments(scoped): get', 'coordination.k8s.io/leases: get watch create update']],
      ['vault', ['/secrets: get list watch']],
    ],
  );
  const everywhere = rolesOf(scoped, { namespace: 'system' });
  assert.deepEqual(
    everywhere.map(({ namespace }) => namespace),
    [undefined, 'system', 'vault'],
  );
});
