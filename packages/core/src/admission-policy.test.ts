import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionPoliciesOf } from './admission-policy.ts';
import { Deployment } from './generated/apps/v1.ts';
import { ConfigMap } from './generated/v1.ts';
import { operator } from './operator.ts';

const validations = [{ expression: 'true', message: 'always' }];

test('a policy and its binding follow from what is declared, and no more', () => {
  const declared = operator({
    name: 'web-operator',
    controllers: [{ for: Deployment }],
    policies: [{ name: 'plain', for: Deployment, validations }],
  });
  assert.deepEqual(admissionPoliciesOf(declared), [
    {
      policy: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'web-operator-plain' },
        spec: {
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['apps'],
                apiVersions: ['v1'],
                operations: ['CREATE', 'UPDATE'],
                resources: ['deployments'],
              },
            ],
          },
          validations,
        },
      },
      binding: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'web-operator-plain' },
        spec: { policyName: 'web-operator-plain', validationActions: ['Deny'] },
      },
    },
  ]);
});

test('parameters, variables, conditions and choices are handed on', () => {
  const [made] = admissionPoliciesOf({
    name: 'o',
    policies: [
      {
        name: 'p',
        for: ConfigMap,
        operations: ['DELETE'],
        validations,
        variables: { a: '1', b: 'variables.a' },
        params: { kind: ConfigMap, labels: { limits: 'yes' }, namespace: 'kube-system', notFound: 'Allow' },
        objectSelector: { matchLabels: { a: 'b' } },
        matchConditions: [{ name: 'c', expression: 'true' }],
        failurePolicy: 'Ignore',
        validationActions: ['Warn', 'Audit'],
      },
    ],
  });
  const { spec } = made?.policy ?? {};
  assert.equal(spec?.failurePolicy, 'Ignore');
  assert.deepEqual(spec?.paramKind, { apiVersion: 'v1', kind: 'ConfigMap' });
  assert.deepEqual(spec?.variables, [
    { name: 'a', expression: '1' },
    { name: 'b', expression: 'variables.a' },
  ]);
  assert.deepEqual(spec?.matchConstraints?.objectSelector, { matchLabels: { a: 'b' } });
  assert.deepEqual(spec?.matchConditions, [{ name: 'c', expression: 'true' }]);
  assert.deepEqual(made?.binding.spec, {
    policyName: 'o-p',
    paramRef: {
      selector: { matchLabels: { limits: 'yes' } },
      namespace: 'kube-system',
      parameterNotFoundAction: 'Allow',
    },
    validationActions: ['Warn', 'Audit'],
  });
});

test('policies need names of their own', () => {
  const declare = (...names: readonly string[]) =>
    operator({
      name: 'o',
      controllers: [{ for: Deployment }],
      policies: names.map((name) => ({ name, for: Deployment, validations })),
    });
  assert.throws(() => declare('a', 'a'), new RangeError('operator o: two policies are called "a"'));
  assert.throws(() => declare('A.b'), /policy "A.b": its name must be a DNS label/);
});
