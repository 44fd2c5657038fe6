/** The first test of an operator: a cluster in the process, an object, and what shall come of it. */
import { test } from 'node:test';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { Website, websiteOperator } from '../operator/website.ts';

test('raising replicas scales the Deployment', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  const metadata = { namespace: 'default', name: 'site' };
  await cluster.client.create(Website, { metadata, spec: { image: 'nginx', replicas: 1 } });
  await cluster.eventually(Website, 'default/site', ({ status }) => status?.readyReplicas === 1);

  await cluster.client.patch(Website, 'default/site', { spec: { replicas: 3 } });

  await cluster.eventually(Deployment, 'default/site', ({ spec }) => spec.replicas === 3);
  await cluster.clock.advance(3_600_000); // an hour, in which nothing may go wrong
});
