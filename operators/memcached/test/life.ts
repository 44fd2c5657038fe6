/** The life of a Memcached in virtual time, in which the operator makes use of every right that it has. */
import { conditionOf, rulesOf } from '@keelson/core';
import { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import type { TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedOperator } from '../src/operator.ts';
import { watchedKinds } from './rights-asked.ts';

const key = 'default/cache';

/** On a cluster with two replicas. */
export async function lifeOfMemcached(cluster: TestCluster): Promise<void> {
  const { client, replicas, faults, clock } = cluster;
  const available = (size: number) =>
    cluster.eventually(
      Memcached,
      key,
      (each) => conditionOf(each, 'Available').status === 'True' && each.status?.nodes?.length === size,
    );
  await client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec: { size: 1 } });
  await available(1);
  const stateful = { namespace: 'default', name: 'stateful' };
  await client.create(Memcached, { metadata: stateful, spec: { size: 1, workload: 'StatefulSet' } });
  await cluster.eventually(StatefulSet, 'default/stateful', ({ status }) => status.readyReplicas === 1);
  await client.patch(Deployment, key, { spec: { replicas: 3 } });
  await client.patch(Memcached, key, { spec: { size: 2 } });
  await available(2);
  // The second time is the same Event, with a count.
  for (const paused of [true, false, true, false]) {
    await client.patch(Memcached, key, { spec: { paused } });
    await clock.advance(20_000);
  }
  // A list that could not be streamed is asked for in pages.
  replicas[0]?.crash();
  for (const _ of watchedKinds(rulesOf(memcachedOperator)).filter((right) => !certificateRights.includes(right)))
    faults.next('cut', ({ path }) => path.includes('sendInitialEvents'));
  await replicas[0]?.start();
  await clock.advance(60_000);
  await client.delete(Memcached, key);
  await cluster.eventuallyGone(Deployment, key);
}

/** For the certificates with which versions are converted and requests admitted: an operator keeps them in its pods, and nowhere else. */
const certificateRights = [
  ...['create', 'get', 'list', 'update', 'watch'].map((verb) => `${verb} /secrets`),
  ...['get', 'list', 'patch', 'watch'].flatMap((verb) => [
    `${verb} apiextensions.k8s.io/customresourcedefinitions`,
    `${verb} admissionregistration.k8s.io/validatingwebhookconfigurations`,
  ]),
];

/** What is to be made is read only where there is one of its name that the watch has not shown yet. */
export const collisionRights = [
  'get /services',
  'get apps/deployments',
  'get apps/statefulsets',
  'get policy/poddisruptionbudgets',
];

/** Asked for by no request here: who watches a kind sees whole objects, and reads that pass the cache by may get one. */
export const spareRights = [
  'get /pods',
  'get cache.example.com/memcacheds',
  ...collisionRights,
  ...certificateRights,
].sort();

/** The server looks for these in the middle of a request for another one. */
export const impliedRights = [
  // An apply of what is not there makes it.
  'create /services',
  'create apps/deployments',
  'create apps/statefulsets',
  'create policy/poddisruptionbudgets',
  // An owner that waits for the deletion of what it owns.
  'update cache.example.com/memcacheds/finalizers',
];

/** What a Memcached asks for that needs such a right. */
export const specFor = (right: string): { readonly size: number; readonly workload: 'Deployment' | 'StatefulSet' } => ({
  size: 1,
  workload: right.endsWith('/statefulsets') ? 'StatefulSet' : 'Deployment',
});
