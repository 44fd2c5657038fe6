/**
 * What the operator installs and makes, whole, against what is written down.
 *
 * A change that is meant is written down by: UPDATE_GOLDENS=1 npm test -- operators/memcached/test/golden.test.ts
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { conversionClientConfig, rulesOf } from '@keelson/core';
import { crdOf } from '@keelson/schema';
import { Memcached } from '../src/api/memcached.ts';
import { desiredDeployment, desiredPodDisruptionBudget, desiredService, desiredStatefulSet } from '../src/desired.ts';
import { memcachedOperator } from '../src/operator.ts';
import { memcached } from './fixtures.ts';

const goldens = {
  definition: crdOf(Memcached, {
    conversion: conversionClientConfig(memcachedOperator, { namespace: 'memcached-operator-system' }),
  }),
  deployment: desiredDeployment(memcached()),
  'stateful-set': desiredStatefulSet(memcached({ workload: 'StatefulSet', memory: '1Gi' }), 3),
  service: desiredService(memcached()),
  'pod-disruption-budget': desiredPodDisruptionBudget(memcached()),
  rules: rulesOf(memcachedOperator),
};

for (const [name, made] of Object.entries(goldens)) {
  test(`${name}: what is made is what is written down`, () => {
    const file = new URL(`./golden/${name}.json`, import.meta.url);
    if (process.env.UPDATE_GOLDENS) writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`);
    assert.deepEqual(made, JSON.parse(readFileSync(file, 'utf8')));
  });
}
