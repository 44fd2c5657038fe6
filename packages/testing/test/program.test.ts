/** Operators that are written on the client by hand, run as programs of a test cluster. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { operator } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { type OperatorProgram, startCluster } from '@keelson/testing';

/** Writes who it is into a ConfigMap, as often as it is started, and waits for its end. */
function signing(needs: 'declared' | 'forgotten'): OperatorProgram {
  return {
    operator: operator({
      name: 'signer',
      controllers: [needs === 'declared' ? { for: ConfigMap, owns: [ConfigMap] } : { for: ConfigMap }],
    }),
    async run({ transport, clock, random, identity }, signal) {
      const client = createClient({ transport, clock, random, fieldManager: identity });
      const metadata = { namespace: 'default', name: identity };
      await client.apply(ConfigMap, { metadata, data: { at: String(clock.monotonic()) } });
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}

test('each replica has an identity of its own, can crash, and is started again', async () => {
  await using cluster = await startCluster({ operators: [signing('declared')], replicas: 2 });
  await cluster.eventually(ConfigMap, 'default/signer-0', () => true);
  const { data } = await cluster.eventually(ConfigMap, 'default/signer-1', () => true);
  const [, second] = cluster.replicas;
  second?.crash();
  await cluster.clock.advance(1_000);
  await second?.start();
  await cluster.eventually(ConfigMap, 'default/signer-1', (each) => each.data?.at !== data?.at);
});

test('a right that it did not declare fails the test', async () => {
  await assert.rejects(async () => {
    await using cluster = await startCluster({ operators: [signing('forgotten')] });
    await cluster.clock.advance(1_000);
  }, /signer may not patch configmaps/);
});
