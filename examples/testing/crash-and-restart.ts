/** An operator that is killed knows nothing afterwards, and has to find out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { Website, websiteOperator } from '../operator/website.ts';

test('what was changed while the operator was dead is done when it is back', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  const [replica] = cluster.replicas;
  assert.ok(replica);
  const metadata = { namespace: 'default', name: 'site' };
  await cluster.client.create(Website, { metadata, spec: { image: 'nginx' } });
  await cluster.eventually(Deployment, 'default/site');

  replica.crash(); // SIGKILL
  await cluster.client.patch(Website, 'default/site', { spec: { replicas: 5 } });
  await cluster.client.delete(Deployment, 'default/site');
  await replica.start();

  await cluster.eventually(Deployment, 'default/site', ({ spec }) => spec.replicas === 5);
});
