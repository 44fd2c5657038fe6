import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, byOwner, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Pod, Service } from '@keelson/core/v1';
import { refusalHint } from './refusal-hint.ts';

const declaration = { for: Service, owns: [Deployment], watches: [watch(Pod, { to: byOwner })] };

const refused = (verb: string, resource: string, group = '') =>
  new ApiError(`${verb} it`, {
    code: 403,
    reason: 'Forbidden',
    message: `User "x" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "default"`,
  });

test('a refused pass is told which declaration to add', () => {
  const hint = (...args: Parameters<typeof refused>) => refusalHint(refused(...args), declaration);
  const role = "the operator's role does not allow";
  assert.equal(
    hint('get', 'configmaps'),
    `${role} "get configmaps": declare it with needs: [allow(<the kind of configmaps>, 'get')]`,
  );
  assert.equal(hint('delete', 'pods'), `${role} "delete pods": declare it with needs: [allow(Pod, 'delete')]`);
  assert.equal(
    hint('delete', 'deployments', 'apps'),
    `${role} "delete deployments.apps": declare it with owns: [removable(Deployment)]`,
  );
  assert.equal(
    hint('update', 'services'),
    `${role} "update services": declare it with needs: [allow(Service, 'update')]`,
  );
});

test('what is declared and refused all the same wants its role installed', () => {
  for (const [verb, resource, group] of [
    ['patch', 'deployments', 'apps'],
    ['patch', 'services/status', ''],
  ] as const) {
    assert.match(
      refusalHint(refused(verb, resource, group), declaration) ?? '',
      /, which is declared: install the roles/,
    );
  }
  assert.match(refusalHint(refused('patch', 'deployments/status', 'apps'), declaration) ?? '', /declare it with needs/);
});

test('any other error, and a refusal by a quota, has no such hint', () => {
  const quota = new ApiError('create pods', { code: 403, reason: 'Forbidden', message: 'exceeded quota: none' });
  for (const error of [new Error('cannot get resource "pods" in API group ""'), quota]) {
    assert.equal(refusalHint(error, declaration), undefined);
  }
});
