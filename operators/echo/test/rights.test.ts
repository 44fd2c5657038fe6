/** The role is sufficient and minimal: each right in it is asked for, or is missed when it is taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, rulesOf } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { startCluster } from '@keelson/testing';
import { notingRights, rightsIn, withoutRight } from '../../memcached/test/rights-asked.ts';
import { Echo, ScheduledEcho } from '../src/api/v1alpha1.ts';
import { echoOperator } from '../src/operator.ts';
import { create, echoProgram, key } from './echo-cluster.ts';

const rules = rulesOf(echoOperator);
const watchedKinds = rightsIn(rules).filter((right) => right.startsWith('watch ') && !right.endsWith('/leases'));
const hourly = { message: 'Hello', schedule: '0 * * * *' };
const named = (name: string) => ({ namespace: 'default', name });
const jobSpec = { template: { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'a', image: 'a' }] } } };

/** An owner that waits for the deletion of what it owns: the server looks for the right when that is made. */
const impliedRights = ['update mmontes.io/echos/finalizers', 'update mmontes.io/scheduledechos/finalizers'];

/** Who watches a kind sees whole objects: to get one is no further right. */
const spareRights = ['get mmontes.io/scheduledechos'];

test('in the life of both kinds the operator asks for what it is granted, all of it and nothing else', async () => {
  const asked = new Set<string>();
  {
    await using cluster = await startCluster({
      operators: [echoProgram({ HA_ENABLED: 'true' })],
      replicas: 2,
      intercept: (transport) => notingRights(transport, asked),
    });
    const { client, replicas, faults, clock } = cluster;
    // What somebody else made is looked at, and left alone.
    await client.create(Job, { metadata: named('taken-1'), spec: jobSpec });
    await client.create(CronJob, {
      metadata: named('taken'),
      spec: { schedule: '0 * * * *', jobTemplate: { spec: jobSpec } },
    });
    await create(cluster, 'Hello', 'taken');
    await client.create(ScheduledEcho, { metadata: named('taken'), spec: hourly });
    await client.create(ScheduledEcho, { metadata: named('hourly'), spec: hourly });
    await cluster.eventually(CronJob, 'default/hourly');
    await create(cluster);
    await cluster.eventually(Echo, key, (echo) => conditionOf(echo, 'Complete').status === 'True');
    // The Job of the second message still runs when the third comes.
    await client.patch(Echo, key, { spec: { message: 'second' } });
    await cluster.eventually(Job, 'default/hello-2');
    await client.patch(Echo, key, { spec: { message: 'third' } });
    await cluster.eventuallyGone(Job, 'default/hello-2');
    // A list that could not be streamed is asked for in pages.
    replicas[0]?.crash();
    for (const _ of watchedKinds) faults.next('cut', ({ path }) => path.includes('sendInitialEvents'));
    await replicas[0]?.start();
    await clock.advance(60_000);
    // The second time is the same Event, with a count.
    for (const waitMs of [20_000, 60_000]) {
      await client.delete(CronJob, 'default/hourly');
      await clock.advance(waitMs);
    }
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
