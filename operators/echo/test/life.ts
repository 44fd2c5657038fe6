/** The life of both kinds in virtual time, in which the operator makes use of every right that it has. */
import { conditionOf, rulesOf } from '@keelson/core';
import { CronJob, Job } from '@keelson/core/batch/v1';
import type { TestCluster } from '@keelson/testing';
import { watchedKinds } from '../../memcached/test/rights-asked.ts';
import { Echo, ScheduledEcho } from '../src/api/v1alpha1.ts';
import { echoOperator } from '../src/operator.ts';
import { create, key } from './echo-cluster.ts';

export const hourly = { message: 'Hello', schedule: '0 * * * *' };
export const named = (name: string) => ({ namespace: 'default', name });
export const jobSpec = {
  template: { spec: { restartPolicy: 'Never' as const, containers: [{ name: 'a', image: 'a' }] } },
};

/** On a cluster with two replicas. */
export async function lifeOfEchos(cluster: TestCluster): Promise<void> {
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
  for (const _ of watchedKinds(rulesOf(echoOperator)))
    faults.next('cut', ({ path }) => path.includes('sendInitialEvents'));
  await replicas[0]?.start();
  await clock.advance(60_000);
  // The second time is the same Event, with a count.
  for (const waitMs of [20_000, 60_000]) {
    await client.delete(CronJob, 'default/hourly');
    await clock.advance(waitMs);
  }
}

/**
 * Asked for by no request here: who watches a kind sees whole objects, so that to get one is no further right, and only
 * pods have a Deployment with which their Lease goes.
 */
export const spareRights = ['get apps/deployments', 'get mmontes.io/scheduledechos'];

/** An owner that waits for the deletion of what it owns: the server looks for the right when that is made. */
export const impliedRights = ['update mmontes.io/echos/finalizers', 'update mmontes.io/scheduledechos/finalizers'];
