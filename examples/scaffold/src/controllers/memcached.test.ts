/** Memcached on a cluster in the process, in virtual time, with just the rights that the operator declares. */
import { test } from 'node:test';
import { conditionOf } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { startCluster } from '@keelson/testing';
import { Memcached } from '../api/memcached.ts';
import { websiteOperator } from '../operator.ts';

const sample = { metadata: { namespace: 'default', name: 'sample' }, spec: { image: 'image:1', replicas: 2 } };

test('the pods of a Memcached are as many as it asks for, and it says when they are ready', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  await cluster.client.create(Memcached, sample);
  await cluster.eventually(Memcached, 'default/sample', (each) => conditionOf(each, 'Available').status === 'True');

  await cluster.client.patch(Memcached, 'default/sample', { spec: { replicas: 3 } });
  await cluster.eventually(Memcached, 'default/sample', ({ status }) => status?.readyReplicas === 3);
});

test('the Deployment of a Memcached is repaired when somebody changes it, and goes with it', async () => {
  await using cluster = await startCluster({ operators: [websiteOperator] });
  await cluster.client.create(Memcached, sample);
  await cluster.eventually(Deployment, 'default/sample', ({ spec }) => spec.replicas === 2);

  await cluster.client.patch(Deployment, 'default/sample', { spec: { replicas: 7 } });
  await cluster.eventually(Deployment, 'default/sample', ({ spec }) => spec.replicas === 2);

  await cluster.client.delete(Memcached, 'default/sample');
  await cluster.eventuallyGone(Deployment, 'default/sample');
});
