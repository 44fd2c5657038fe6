import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '@keelson/core/apps/v1';
import { ConfigMap } from '@keelson/core/v1';
import { admissionPolicy } from './admission-policy.ts';

test('expressions name fields that the kinds have', () => {
  const policy = admissionPolicy(Deployment, {
    name: 'limits',
    params: { kind: ConfigMap, name: 'limits' },
    validations: ({ object, oldObject, params }) => [
      {
        expression: `${object.spec.replicas} <= int(${params.data}.max)`,
        messageExpression: `'up to ' + string(${params.data}.max)`,
      },
      // @ts-expect-error a Deployment has no such field
      { expression: `${oldObject.spec.size} == null` },
    ],
  });
  assert.equal(policy.for, Deployment);
  assert.deepEqual(policy.validations, [
    {
      expression: 'object.spec.replicas <= int(params.data.max)',
      messageExpression: "'up to ' + string(params.data.max)",
    },
    { expression: 'oldObject.spec.size == null' },
  ]);
});

test('what the server would refuse is refused when it is declared, all of it', () => {
  assert.throws(
    () =>
      admissionPolicy(Deployment, {
        name: 'broken',
        variables: { a: '1' },
        matchConditions: [{ name: 'c', expression: 'variables.a == 1' }],
        validations: [
          { expression: 'variables.a' },
          { expression: 'params == null', messageExpression: 'authorizer' },
          { expression: 'object.spec.replicas < 3' },
        ],
      }),
    (error: Error) => {
      assert.ok(error instanceof TypeError);
      assert.match(
        error.message,
        /^the policy broken cannot be applied by Kubernetes:\n {2}matchCondition c: compilation failed/,
      );
      assert.match(error.message, /\n {2}variables\.a: must evaluate to bool but got int\n/);
      assert.match(error.message, /undeclared reference to 'params'/);
      assert.match(error.message, /undeclared reference to 'authorizer'/);
      assert.ok(!error.message.includes('object.spec.replicas'));
      return true;
    },
  );
  assert.throws(() => admissionPolicy(Deployment, { name: 'empty', validations: [] }), /it has no validations/);
});
