/** Policies of operators: in force on the test's cluster, as they would be in production. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isForbidden, isInvalid, operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { controller, done } from '@keelson/runtime';
import { admissionPolicy } from '@keelson/schema/rules';
import { startCluster } from '../src/index.ts';
import { key, Note, note } from './fixtures.ts';

const short = admissionPolicy(Note, {
  name: 'short',
  params: { kind: ConfigMap, name: 'limits', notFound: 'Allow' },
  validations: ({ object, params }) => [
    { expression: `size(${object.spec.text}) <= int(${params.data}.max)`, message: 'it is too long' },
  ],
});
const kept = admissionPolicy(Note, {
  name: 'kept',
  operations: ['DELETE'],
  validations: ({ oldObject }) => [
    { expression: `${oldObject.spec.text} != 'important'`, message: 'important notes stay', reason: 'Forbidden' },
  ],
});
const careful = operator({
  name: 'careful',
  controllers: [controller({ for: Note, reconcile: async () => done })],
  policies: [short, kept],
});

test('what a policy does not allow is refused by the API server itself', async () => {
  await using cluster = await startCluster({ operators: [careful] });
  const { client } = cluster;
  await client.create(Note, note('a', 'important'));
  await assert.rejects(client.delete(Note, key), (error) => {
    assert.ok(isForbidden(error), String(error));
    assert.match(String(error), /'careful-kept' with binding 'careful-kept' denied request: important notes stay/);
    return true;
  });
  await client.create(ConfigMap, { metadata: { name: 'limits', namespace: 'default' }, data: { max: '3' } });
  await assert.rejects(client.create(Note, note('b', 'long')), isInvalid);
});
