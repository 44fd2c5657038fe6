import assert from 'node:assert/strict';
import { test } from 'node:test';
import { removable } from './declaration.ts';
import { Deployment } from './generated/apps/v1.ts';
import { Job } from './generated/batch/v1.ts';
import { Pod } from './generated/v1.ts';
import { declarationFor, missingRightIn, printRight } from './missing-right.ts';

const sentence = (verb: string, resource: string, group: string) =>
  `x is forbidden: User "system:serviceaccount:a:b" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "default"`;

test('a refusal says which right is missing and what to declare', () => {
  const declarations = [{ for: Pod, owns: [Deployment, removable(Job)] }];
  for (const [verb, resource, group, right, declaration] of [
    ['list', 'configmaps', '', 'list configmaps', "needs: [allow(Its, 'list')]"],
    ['delete', 'deployments', 'apps', 'delete deployments.apps', 'owns: [removable(Its)]'],
    ['delete', 'deployments', 'batch', 'delete deployments.batch', "needs: [allow(Its, 'delete')]"],
    ['patch', 'deployments', 'apps', 'patch deployments.apps', "needs: [allow(Its, 'patch')]"],
    [
      'delete',
      'deployments/scale',
      'apps',
      'delete deployments.apps/scale',
      "needs: [{ kind: Its, subresource: 'scale', verbs: ['delete'] }]",
    ],
  ] as const) {
    const missing = missingRightIn(sentence(verb, resource, group));
    assert.ok(missing);
    assert.equal(printRight(missing), right);
    assert.equal(declarationFor(missing, 'Its', declarations), declaration);
  }
});

test('a refusal by a quota, or for several rights at once, names none', () => {
  assert.equal(missingRightIn('pods "a" is forbidden: exceeded quota: none'), undefined);
  assert.equal(missingRightIn('cannot set blockOwnerDeletion if an ownerReference refers to a resource'), undefined);
});
