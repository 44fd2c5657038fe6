/** The role is sufficient and minimal: each right in it is asked for, or is missed when it is taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rulesOf } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { startCluster } from '@keelson/testing';
import { notingRights, rightsIn, withoutRight } from '../../memcached/test/rights-asked.ts';
import { ScheduledEcho } from '../src/api/v1alpha1.ts';
import { echoOperator } from '../src/operator.ts';
import { create, echoProgram } from './echo-cluster.ts';
import { hourly, impliedRights, lifeOfEchos, named, spareRights } from './life.ts';

const rules = rulesOf(echoOperator);

test('in the life of both kinds the operator asks for what it is granted, all of it and nothing else', async () => {
  const asked = new Set<string>();
  {
    await using cluster = await startCluster({
      operators: [echoProgram({ HA_ENABLED: 'true' })],
      replicas: 2,
      intercept: (transport) => notingRights(transport, asked),
    });
    await lifeOfEchos(cluster);
  }
  assert.deepEqual([...asked, ...impliedRights, ...spareRights].sort(), rightsIn(rules));
});

test('each right that no request names is missed when it alone is taken away', async () => {
  await using cluster = await startCluster({ operators: [echoProgram()], tolerate: ['refusal'] });
  const { client } = cluster;
  const grant = (some: typeof rules) => client.patch(ClusterRole, `operators:${echoOperator.name}`, { rules: some });
  for (const [index, right] of impliedRights.entries()) {
    const name = `hello-${index}`;
    await grant(withoutRight(rules, right));
    await create(cluster, 'Hello', name);
    await client.create(ScheduledEcho, { metadata: named(name), spec: hourly });
    await cluster.clock.advance(5_000);
    const made = [await client.find(Job, `default/${name}-1`), await client.find(CronJob, `default/${name}`)];
    assert.deepEqual(
      made.map((each) => each !== undefined),
      [index !== 0, index !== 1],
    );
    await grant(rules);
    await cluster.eventually(Job, `default/${name}-1`);
    await cluster.eventually(CronJob, `default/${name}`);
  }
});
