/** The role is minimal, in virtual time: here because it takes long, not because it needs Kubernetes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rulesOf } from '@keelson/core';
import { notMissed } from '../../../memcached/test/rights-asked.ts';
import { echoOperator } from '../../src/operator.ts';
import { echoProgram } from '../echo-cluster.ts';
import { lifeOfEchos, spareRights } from '../life.ts';

test('without any single right of the role, but for the listed one, a test of the Echos’ life fails', async () => {
  const options = { operators: [echoProgram({ HA_ENABLED: 'true' })], replicas: 2 };
  assert.deepEqual(await notMissed(rulesOf(echoOperator), options, lifeOfEchos), spareRights);
});
