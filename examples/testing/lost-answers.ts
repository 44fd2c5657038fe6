/** Requests that fail, answers that get lost, watches that end: by chance, and the same for the same seed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { Website, websiteOperator } from '../operator/website.ts';

test('whatever the network does, the last word counts', async () => {
  await using cluster = await startCluster({
    operators: [websiteOperator],
    faults: { fail: 0.1, lose: 0.1, delay: 0.1, cut: 0.1 },
    seed: 5,
  });
  const metadata = { namespace: 'default', name: 'site' };
  await cluster.client.create(Website, { metadata, spec: { image: 'nginx' } });
  for (const replicas of [3, 1, 4]) {
    await cluster.client.patch(Website, 'default/site', { spec: { replicas } });
    await cluster.clock.advance(5000);
  }
  await cluster.eventually(Deployment, 'default/site', ({ spec }) => spec.replicas === 4);
  await cluster.eventually(Website, 'default/site', ({ status }) => status?.readyReplicas === 4);
  assert.ok(cluster.faults.counts.fail + cluster.faults.counts.lose > 0);
});
