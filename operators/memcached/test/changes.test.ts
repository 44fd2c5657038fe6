/** What a change does to servers is said before it is done, and waits for a person where that was asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf, isInvalid, type Transport } from '@keelson/core';
import { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { startCluster, type TestCluster } from '@keelson/testing';
import { Memcached, type NewMemcached } from '../src/api/memcached.ts';
import { approval } from '../src/planned-change.ts';
import { memcachedAlone } from './alone.ts';

const key = 'default/cache';

async function running(cluster: TestCluster, spec: NewMemcached['spec']): Promise<void> {
  await cluster.client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec });
  await reason(cluster, 'RolledOut');
}

const reason = (cluster: TestCluster, expected: string) =>
  cluster.eventually(
    Memcached,
    key,
    (each) =>
      conditionOf(each, 'Progressing').reason === expected &&
      each.status?.observedGeneration === each.metadata.generation,
  );

const uids = async ({ client }: TestCluster) =>
  (await client.list(Pod, { namespace: 'default' })).items.map(({ metadata }) => metadata.uid).sort();

for (const workload of ['Deployment', 'StatefulSet'] as const) {
  test(`${workload}: what a change does is in the status before the workload changes`, async () => {
    const writes: string[] = [];
    const noting = (transport: Transport): Transport => ({
      request(request) {
        const { change } =
          (JSON.parse(String(request.body ?? '{}')) as { status?: { change?: { class: string; fields: string[] } } })
            .status ?? {};
        if (request.path.includes('/memcacheds/cache/status'))
          writes.push(change ? `says ${change.class} ${change.fields}` : 'says nothing');
        if (request.method === 'PATCH' && request.path.includes(`/${workload.toLowerCase()}s/cache`))
          writes.push('writes');
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    });
    await using cluster = await startCluster({ operators: [memcachedAlone], intercept: noting });
    await running(cluster, { size: 2, workload });
    await cluster.clock.advance(60_000);
    writes.length = 0;

    await cluster.client.patch(Memcached, key, { spec: { size: 3 } });
    await cluster.clock.advance(60_000);
    assert.deepEqual(writes.slice(0, 3), ['says Live spec.size', 'writes', 'says nothing']);

    writes.length = 0;
    await cluster.client.patch(Memcached, key, { spec: { image: 'memcached:1.6.45', config: { threads: 8 } } });
    await cluster.clock.advance(120_000);
    assert.deepEqual(writes.slice(0, 2), ['says Roll spec.image,spec.config', 'writes']);
    assert.equal(writes.at(-1), 'says nothing');
    await reason(cluster, 'RolledOut');

    // What another hand has scaled is put right without a word.
    writes.length = 0;
    const kind = workload === 'Deployment' ? Deployment : StatefulSet;
    await cluster.client.patch(kind as typeof Deployment, key, { spec: { replicas: 2 } });
    await cluster.clock.advance(60_000);
    assert.ok(writes.includes('writes') && !writes.some((each) => each.startsWith('says Live')), writes.join('\n'));
  });

  test(`${workload}: under updatePolicy Manual a change that replaces servers waits for its revision to be approved`, async () => {
    await using cluster = await startCluster({ operators: [memcachedAlone] });
    const { client } = cluster;
    await running(cluster, { size: 2, workload, updatePolicy: 'Manual' });
    const before = await uids(cluster);

    await client.patch(Memcached, key, { spec: { image: 'memcached:1.6.45', size: 3 } });
    const held = await reason(cluster, 'Held');
    await cluster.clock.advance(600_000);
    const { change, version, nodes = [] } = (await client.get(Memcached, key)).status ?? {};
    assert.deepEqual([change?.class, change?.fields, change?.held], ['Roll', ['spec.image'], true]);
    assert.deepEqual([version, nodes.length], ['1.6.26', 3], 'the size is no matter of waiting');
    assert.deepEqual((await uids(cluster)).filter((uid) => before.includes(uid)).length, 2);
    const revision = change?.revision ?? '';
    assert.equal(
      conditionOf(held, 'Progressing').message,
      `Servers stay as they are until someone lets the change go: kubectl annotate memcached cache --namespace default --overwrite ${approval}=${revision}`,
    );

    await client.patch(Memcached, key, { metadata: { annotations: { [approval]: 'another' } } });
    await cluster.clock.advance(60_000);
    assert.equal((await client.get(Memcached, key)).status?.change?.held, true);
    await client.patch(Memcached, key, { metadata: { annotations: { [approval]: revision } } });
    const { status } = await reason(cluster, 'RolledOut');
    await cluster.clock.advance(60_000);
    assert.deepEqual([status?.version, (await client.get(Memcached, key)).status?.change], ['1.6.45', undefined]);
    assert.deepEqual(
      (await uids(cluster)).filter((uid) => before.includes(uid)),
      [],
    );

    await client.patch(Memcached, key, { spec: { memory: '128Mi' } });
    assert.notEqual((await reason(cluster, 'Held')).status?.change?.revision, revision, 'the next one waits again');
  });
}

test('the webhook refuses what the version cannot do, by its field, and leaves what is there alone', async () => {
  await using cluster = await startCluster({ operators: [memcachedAlone] });
  const { client } = cluster;
  const extraArgs = ['-o', 'proxy_config=routelib'];
  await assert.rejects(
    client.create(Memcached, { metadata: { namespace: 'default', name: 'proxy' }, spec: { config: { extraArgs } } }),
    (error) =>
      isInvalid(error) &&
      /spec\.config\.extraArgs\[1\]: Invalid value: .*the official image needs memcached 1\.6\.38 or newer, and the image has 1\.6\.26/.test(
        String(error),
      ),
  );
  await running(cluster, { image: 'memcached:1.6.38', config: { extraArgs } });
});
