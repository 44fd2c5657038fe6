/** The role is minimal, in virtual time: here because it takes long, not because it needs Kubernetes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rulesOf } from '@keelson/core';
import { memcachedOperator } from '../../src/operator.ts';
import { lifeOfMemcached, spareRights } from '../life.ts';
import { notMissed } from '../rights-asked.ts';

test('without any single right of the role, but for the listed ones, a test of a Memcached’s life fails', async () => {
  const options = { operators: [memcachedOperator], replicas: 2 };
  assert.deepEqual(await notMissed(rulesOf(memcachedOperator), options, lifeOfMemcached), spareRights);
});
