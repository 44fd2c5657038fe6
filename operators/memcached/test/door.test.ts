/**
 * The operator over HTTPS on the embedded cluster, in real time and with a token of its own account: what it does when
 * the server goes away and comes back.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createClient, installDefinitions, requestToken } from '@keelson/client';
import { applyAccount, createCluster } from '@keelson/cluster';
import { conditionOf, deadline, rulesOf, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { crdOf } from '@keelson/schema';
import { kubeconfig } from '@keelson/tools-kubernetes';
import { Memcached } from '../src/api/memcached.ts';
import { memcachedAlone } from './alone.ts';
import { startOperator } from './operator-process.ts';
import { webhookPlace } from './webhook-place.ts';

test('the same process converges the next change after the door was closed and opened again', async () => {
  await using cluster = createCluster();
  const client = createClient({ transport: cluster.transport, fieldManager: 'test' });
  const folder = await mkdtemp(join(tmpdir(), 'keelson-door-'));
  try {
    const { conversion, webhookFlags } = await webhookPlace(folder);
    await installDefinitions(client, [crdOf(Memcached, { conversion })]);
    const first = await cluster.listen();
    const { name } = memcachedAlone;
    await applyAccount(client, { namespace: 'operators', name, rules: rulesOf(memcachedAlone) });
    const { token } = await requestToken(client, `operators/${name}`);
    const { url: server, certificateAuthority } = first;
    const own = kubeconfig({ server, certificateAuthority, user: name, credentials: { token: token.reveal() } });
    const file = join(folder, 'kubeconfig');
    await writeFile(file, own, { mode: 0o600 });
    await using operator = startOperator(file, webhookFlags);
    const available = async (size: number) => {
      using limit = deadline(systemClock, 300_000, `${size} servers`);
      for (;;) {
        const memcached = await client.get(Memcached, 'default/cache');
        const isAvailable = conditionOf(memcached, 'Available').status === 'True';
        if (isAvailable && memcached.status?.nodes?.length === size) return;
        assert.ok(operator.isRunning() && !limit.signal.aborted, operator.log());
        await sleep(systemClock, 20);
      }
    };
    await client.create(Memcached, { metadata: { namespace: 'default', name: 'cache' }, spec: { size: 1 } });
    await available(1);

    await first[Symbol.asyncDispose]();
    await client.patch(Memcached, 'default/cache', { spec: { size: 3 } });
    await using _second = await cluster.listen({ port: first.port });

    await available(3);
    assert.equal(await operator.stop('SIGTERM'), 0, operator.log());
  } finally {
    await rm(folder, { recursive: true });
  }
});
