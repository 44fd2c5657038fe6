/** The role is sufficient and minimal: each right in it is asked for, or is missed when it is taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, rulesOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { startCluster } from '@keelson/testing';
import { Memcached } from '../src/api/v1alpha1.ts';
import { memcachedOperator } from '../src/operator.ts';
import { memcachedAlone } from './alone.ts';
import { notingRights, rightsIn, withoutRight } from './rights-asked.ts';

const key = 'default/cache';
const granted = rightsIn(rulesOf(memcachedOperator));
const watchedKinds = granted.filter((right) => right.startsWith('watch ') && !right.endsWith('/leases'));

/** The server looks for these rights in the middle of a request for another one. */
const impliedRights = [
  // An apply of what is not there makes it.
  'create /services',
  'create apps/deployments',
  'create policy/poddisruptionbudgets',
  // An owner that waits for the deletion of what it owns.
  'update cache.example.com/memcacheds/finalizers',
];

/** Who watches a kind sees whole objects: to get one is no further right, and reads that pass the cache by may use it. */
const spareRights = ['get /pods', 'get cache.example.com/memcacheds'];

test('in the life of a Memcached the operator asks for what it is granted, all of it and nothing else', async () => {
  const asked = new Set<string>();
  {
    await using cluster = await startCluster({
      operators: [memcachedOperator],
      replicas: 2,
      intercept: (transport) => notingRights(transport, asked),
    });
    const { client, replicas, faults, clock } = cluster;
    const available = (size: number) =>
      cluster.eventually(
        Memcached,
        key,
        (each) => conditionOf(each, 'Available').status === 'True' && each.status?.nodes?.length === size,
      );
    await client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec: { size: 1 } });
    await available(1);
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
    for (const _ of watchedKinds) faults.next('cut', ({ path }) => path.includes('sendInitialEvents'));
    await replicas[0]?.start();
    await clock.advance(60_000);
    await client.delete(Memcached, key);
    await cluster.eventuallyGone(Deployment, key);
  }
  assert.deepEqual([...asked, ...impliedRights, ...spareRights].sort(), granted);
});

test('each right that no request names is missed when it alone is taken away', async () => {
  await using cluster = await startCluster({ operators: [memcachedAlone], tolerate: ['refusal'] });
  const { client } = cluster;
  const rules = rulesOf(memcachedAlone);
  const grant = (some: typeof rules) => client.patch(ClusterRole, `operators:${memcachedAlone.name}`, { rules: some });
  for (const [index, right] of impliedRights.entries()) {
    const metadata = { namespace: 'default', name: `cache-${index}` };
    const reads = (reason: string) =>
      cluster.eventually(
        Memcached,
        `default/${metadata.name}`,
        (each) => conditionOf(each, 'Degraded').reason === reason,
      );
    await grant(withoutRight(rules, right));
    await client.create(Memcached, { metadata, spec: { size: 1 } });
    await reads('Forbidden');
    await grant(rules);
    await reads('AsExpected');
  }
});
