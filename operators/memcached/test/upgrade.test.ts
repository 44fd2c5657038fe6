/** Upgrading the operator restarts no server, since a server that restarts has lost its cache. In virtual time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { conditionOf, controllerReference, conversionClientConfig, type Kind } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Deployment, type NewDeployment } from '@keelson/core/apps/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Pod, Service } from '@keelson/core/v1';
import { crdOf } from '@keelson/schema';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached } from '../src/api/memcached.ts';
import { desiredDeployment, desiredPodDisruptionBudget, desiredService } from '../src/desired.ts';
import { memcachedAlone } from './alone.ts';
import { earlier } from './earlier.ts';
import { v1alpha1 } from './v1alpha1.ts';

const { name: fieldManager } = memcachedAlone;
const namespace = 'default';

const podsIn = async ({ client }: TestCluster) =>
  (await client.list(Pod, { namespace })).items.map(({ metadata: { uid } }) => uid).sort();

/** Each object that a Memcached owns, as it was written last. */
async function ownedIn({ client }: TestCluster): Promise<readonly string[]> {
  const lists = [Deployment, Service, PodDisruptionBudget].map((kind) => client.list(kind as Kind, { namespace }));
  return (await Promise.all(lists)).flatMap(({ items }) =>
    items.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`),
  );
}

/** As the operator of 7aaa118 applied it for a Memcached of size 3. */
const earliest = JSON.parse(
  readFileSync(new URL('./earlier/deployment.json', import.meta.url), 'utf8'),
) as NewDeployment;

test('the Deployment that an earlier operator has made is taken up as it is, and its pods stay', async () => {
  await using cluster = await startCluster({ operators: [memcachedAlone] });
  const { client } = cluster;
  const key = 'default/cache';
  const metadata = { namespace, name: 'cache' };
  // While it is paused, the operator of today makes nothing.
  const owner = await client.create(Memcached, { metadata, spec: { size: 3, paused: true } });
  const owned = { ...earliest.metadata, ...metadata, ownerReferences: [controllerReference(Memcached, owner)] };
  await client.apply(Deployment, { ...earliest, metadata: owned }, { fieldManager });
  await cluster.eventually(Deployment, key, ({ status }) => status.readyReplicas === 3);
  await cluster.clock.advance(10_000); // until all of that is written down
  const before = await client.get(Deployment, key);
  const podsBefore = await podsIn(cluster);

  await client.patch(Memcached, key, { spec: { paused: false } });
  await cluster.eventually(Memcached, key, (each) => conditionOf(each, 'Progressing').reason === 'RolledOut');
  await cluster.clock.advance(60_000);

  const { resourceVersion, generation } = (await client.get(Deployment, key)).metadata;
  assert.deepEqual([generation, resourceVersion], [1, before.metadata.resourceVersion]);
  assert.deepEqual(await podsIn(cluster), podsBefore);
});

/** The API server drops an empty set of limits. */
const bytesOf = (object: NewDeployment) => JSON.stringify(object).replace('"limits":{},', '');

test('what v1alpha1 said gives the same objects as before there was a v1, byte for byte', () => {
  for (const { name, spec, deployment, service, podDisruptionBudget } of earlier.memcacheds) {
    const metadata = { name, namespace };
    const before = { apiVersion: 'cache.example.com/v1alpha1', kind: 'Memcached', metadata, spec };
    const memcached = Memcached.conversion?.convert(before, 'cache.example.com/v1') as unknown as Memcached;
    assert.equal(bytesOf(desiredDeployment(memcached)), bytesOf(deployment), name);
    assert.deepEqual(desiredService(memcached), service);
    assert.deepEqual(desiredPodDisruptionBudget(memcached), podDisruptionBudget);
  }
});

/** What the earlier operator had on a cluster, at rest. */
async function runBefore({ client, eventually, clock }: TestCluster): Promise<void> {
  await client.delete(CustomResourceDefinition, 'memcacheds.cache.example.com');
  await clock.advance(10_000);
  await client.create(CustomResourceDefinition, earlier.definition);
  await clock.advance(10_000);
  for (const { name, spec, ...made } of earlier.memcacheds) {
    const owner = await client.create(v1alpha1, { metadata: { namespace, name }, spec });
    const apply = <K extends Kind>(kind: K, object: { readonly metadata: object }) => {
      const metadata = { ...object.metadata, namespace, ownerReferences: [controllerReference(v1alpha1, owner)] };
      return client.apply(kind as Kind, { ...object, metadata } as never, { fieldManager });
    };
    if (spec.paused) continue;
    await apply(Deployment, made.deployment);
    await apply(Service, made.service);
    await apply(PodDisruptionBudget, made.podDisruptionBudget);
  }
  for (const { name, spec } of earlier.memcacheds) {
    if (spec.paused) continue;
    await eventually(Deployment, `${namespace}/${name}`, ({ status }) => status.readyReplicas === spec.size);
  }
  await clock.advance(10_000);
}

test('live objects of the operator before v1 are taken over: no pod is replaced, and nothing that they own is written', async () => {
  await using cluster = await startCluster({ operators: [memcachedAlone] });
  const { client, clock, replicas } = cluster;
  replicas[0]?.crash();
  await runBefore(cluster);
  const before = [await podsIn(cluster), await ownedIn(cluster)];

  const conversion = conversionClientConfig(memcachedAlone, { namespace: 'operators' });
  await client.apply(CustomResourceDefinition, crdOf(Memcached, { conversion }), { force: true });
  await clock.advance(10_000);
  await replicas[0]?.start();
  await clock.advance(120_000);

  for (const { name, spec } of earlier.memcacheds) {
    const memcached = await client.get(Memcached, `${namespace}/${name}`);
    const { reason } = conditionOf(memcached, 'Progressing');
    assert.equal(reason, spec.paused ? 'Paused' : 'RolledOut', name);
    assert.equal(memcached.metadata.generation, 1);
    assert.deepEqual((await client.get(v1alpha1, `${namespace}/${name}`)).spec, spec);
  }
  assert.deepEqual([await podsIn(cluster), await ownedIn(cluster)], before);
});
