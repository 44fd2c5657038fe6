/** Upgrading the operator restarts no server, since a server that restarts has lost its cache. In virtual time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { conditionOf, controllerReference } from '@keelson/core';
import { Deployment, type NewDeployment } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { startCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedAlone } from './alone.ts';

/** As the operator of 7aaa118 applied it for a Memcached of size 3. It is never written anew, unlike a golden. */
const earlier = JSON.parse(
  readFileSync(new URL('./earlier/deployment.json', import.meta.url), 'utf8'),
) as NewDeployment;

test('the Deployment that an earlier operator has made is taken up as it is, and its pods stay', async () => {
  await using cluster = await startCluster({ operators: [memcachedAlone] });
  const { client } = cluster;
  const key = 'default/cache';
  const metadata = { namespace: 'default', name: 'cache' };
  // While it is paused, the operator of today makes nothing.
  const owner = await client.create(Memcached, { metadata, spec: { size: 3, paused: true } });
  const owned = { ...earlier.metadata, ...metadata, ownerReferences: [controllerReference(Memcached, owner)] };
  await client.apply(Deployment, { ...earlier, metadata: owned }, { fieldManager: memcachedAlone.name });
  await cluster.eventually(Deployment, key, ({ status }) => status.readyReplicas === 3);
  await cluster.clock.advance(10_000); // until all of that is written down
  const before = await client.get(Deployment, key);
  const pods = async () => (await client.list(Pod, { namespace: 'default' })).items.map(({ metadata: { uid } }) => uid);
  const podsBefore = await pods();

  await client.patch(Memcached, key, { spec: { paused: false } });
  await cluster.eventually(Memcached, key, (each) => conditionOf(each, 'Progressing').reason === 'RolledOut');
  await cluster.clock.advance(60_000);

  const { resourceVersion, generation } = (await client.get(Deployment, key)).metadata;
  assert.deepEqual([generation, resourceVersion], [1, before.metadata.resourceVersion]);
  assert.deepEqual(await pods(), podsBefore);
});
