/** The role is sufficient and minimal: each right in it is asked for, or is missed when it is taken away. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, rulesOf } from '@keelson/core';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { startCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedOperator } from '../src/operator.ts';
import { memcachedAlone } from './alone.ts';
import { impliedRights, lifeOfMemcached, spareRights, specFor } from './life.ts';
import { notingRights, rightsIn, withoutRight } from './rights-asked.ts';

test('in the life of a Memcached the operator asks for what it is granted, all of it and nothing else', async () => {
  const asked = new Set<string>();
  {
    await using cluster = await startCluster({
      operators: [memcachedOperator],
      replicas: 2,
      intercept: (transport) => notingRights(transport, asked),
    });
    await lifeOfMemcached(cluster);
  }
  assert.deepEqual([...asked, ...impliedRights, ...spareRights].sort(), rightsIn(rulesOf(memcachedOperator)));
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
    await client.create(Memcached, { metadata, spec: specFor(right) });
    await reads('Forbidden');
    await grant(rules);
    await reads('AsExpected');
  }
});
