/** What goes wrong with pods is said in one line, and the operator must show it. */
import { test } from 'node:test';
import { Pod } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { Website, websiteOperator } from '../operator/website.ts';

test('a release that crashes leaves the old one at work', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  cluster.pods.set({ image: 'nginx:2' }, { fails: 'CrashLoopBackOff', log: 'cannot read nginx.conf' });
  const metadata = { namespace: 'default', name: 'site' };
  await cluster.client.create(Website, { metadata, spec: { image: 'nginx:1', replicas: 2 } });
  await cluster.eventually(Website, 'default/site', ({ status }) => status?.readyReplicas === 2);

  await cluster.client.patch(Website, 'default/site', { spec: { image: 'nginx:2' } });
  await cluster.clock.advance(3_600_000);

  await cluster.eventually(Website, 'default/site', ({ status }) => status?.readyReplicas === 2);
  const { items } = await cluster.client.list(Pod, { namespace: 'default' });
  const crashing = items.find(({ spec }) => spec.containers[0]?.image === 'nginx:2');
  if (!crashing) throw new Error('the new release was never tried');

  cluster.pods.set({ image: 'nginx:2' }, {}); // what was wrong is mended
  await cluster.eventually(Pod, `default/${crashing.metadata.name}`, ({ status }) => status.phase === 'Running');
});
