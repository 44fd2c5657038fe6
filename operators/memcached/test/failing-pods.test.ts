/** Whatever is wrong with the pods: Degraded names it, with the reason that Kubernetes has for it. In virtual time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf } from '@keelson/core';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { ResourceQuota } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedAlone } from './alone.ts';

const key = 'default/cache';
const metadata = { namespace: 'default', name: 'cache' };
const operators = [memcachedAlone];
const isDegraded = (memcached: Memcached) => conditionOf(memcached, 'Degraded').status === 'True';

const cases = [
  { fails: 'ImagePullBackOff', reason: 'ImagePullBackOff', message: 'its image cannot be pulled' },
  { fails: 'CrashLoopBackOff', reason: 'CrashLoopBackOff', message: 'its server keeps exiting' },
  { fails: 'OOMKilled', reason: 'OOMKilled', message: 'its server was killed because memory ran out' },
  {
    fails: 'Unschedulable',
    reason: 'Unschedulable',
    message: 'it finds no node: 0/1 nodes are available: 1 Insufficient memory',
  },
  { fails: 'LivenessProbe', reason: 'CrashLoopBackOff', message: 'its server keeps exiting' },
  { fails: 'ReadinessProbe', reason: 'ProgressDeadlineExceeded', message: 'has timed out progressing' },
] as const;

for (const { fails, reason, message } of cases) {
  test(`pods that fail by ${fails} are Degraded as ${reason}, and recover`, async () => {
    await using cluster = await startCluster({ operators });
    cluster.pods.set({ image: /memcached/ }, { fails });
    await cluster.client.create(Memcached, { metadata, spec: { size: 1 } });

    const failing = await cluster.eventually(Memcached, key, isDegraded, 1_200_000);
    assert.equal(conditionOf(failing, 'Degraded').reason, reason);
    assert.ok(conditionOf(failing, 'Degraded').message.includes(message), conditionOf(failing, 'Degraded').message);
    assert.equal(conditionOf(failing, 'Available').status, 'False');

    cluster.pods.set({ image: /memcached/ }, {});
    await cluster.eventually(
      Memcached,
      key,
      (memcached) => conditionOf(memcached, 'Available').status === 'True' && !isDegraded(memcached),
    );
  });
}

test('an operator that may no longer do its work says that it is forbidden', async () => {
  await using cluster = await startCluster({ operators, tolerate: ['refusal'] });
  const role = `operators:${memcachedAlone.name}`;
  const { rules } = await cluster.client.get(ClusterRole, role);
  const without = (rules ?? [])
    .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }))
    .filter(({ verbs }) => verbs.length > 0);
  await cluster.client.patch(ClusterRole, role, { rules: without });
  await cluster.client.create(Memcached, { metadata, spec: { size: 1 } });
  const failing = await cluster.eventually(Memcached, key, isDegraded);
  assert.equal(conditionOf(failing, 'Degraded').reason, 'Forbidden');
  assert.match(conditionOf(failing, 'Degraded').message, /cannot \w+ resource/);
});

test('a quota that stands in the way is named', async () => {
  await using cluster = await startCluster({ operators });
  await cluster.client.create(ResourceQuota, {
    metadata: { namespace: 'default', name: 'few' },
    spec: { hard: { pods: '1' } },
  });
  await cluster.eventually(ResourceQuota, 'default/few', ({ status }) => status.hard?.pods === '1');
  await cluster.client.create(Memcached, { metadata, spec: { size: 2 } });
  const failing = await cluster.eventually(Memcached, key, isDegraded);
  assert.equal(conditionOf(failing, 'Degraded').reason, 'QuotaExceeded');
  assert.match(
    conditionOf(failing, 'Degraded').message,
    /exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1/,
  );
});
