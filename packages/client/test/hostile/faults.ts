/** Everything converges through a proxy that fails a third of all calls: writes are made until they hold, and seen. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAlreadyExists, isNotFound, type KubernetesObject } from '@keelson/core';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import { type Client, connect, createClient, createInformer } from '../../src/index.ts';
import { runInformer } from '../run-informer.ts';
import type { Offer } from '../suites/server.ts';
import { until } from '../until.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { defaultSeed, seeded } from './seeded.ts';

export interface FaultOptions {
  readonly writes: number;
  readonly seed?: number;
}

export function describeFaults(offer: Offer, { writes, seed = defaultSeed }: FaultOptions): void {
  describe(`a proxy that fails a third of all calls by seed ${seed}, before ${offer.name}`, {
    skip: offer.skip,
  }, () => {
    test('nothing is lost, nothing is made twice, and informers agree with the server', async (t) => {
      const unhandled: unknown[] = [];
      const note = (error: unknown) => unhandled.push(error);
      process.on('unhandledRejection', note);
      try {
        const { random } = seeded('faults', seed);
        await using server = await offer.start();
        await using proxy = await startFaultProxy(server.config, random);
        await using direct = connect(server.config);
        await using through = connect(proxy.config);
        const namespace = 'faults';
        const truth = createClient({ transport: direct });
        await truth.create(Namespace, { metadata: { name: namespace } });
        const client = createClient({ transport: through, fieldManager: 'faults', timeoutMs: 5000 });
        const informers = [{ namespace }, { namespace, labels: 'even=true' }].map((selection) =>
          createInformer(client, ConfigMap, { ...selection, clock: server.clock }),
        );
        await using _first = runInformer(informers[0] ?? assert.fail());
        await using _second = runInformer(informers[1] ?? assert.fail());
        const expected = new Map<string, string>();
        for (let i = 0; i < writes; i++) {
          const name = `n${Math.floor(random() * 20)}`;
          if (random() < 0.25 && expected.delete(name)) await removed(client, `${namespace}/${name}`);
          else {
            expected.set(name, String(i));
            await applied(client, { name, namespace, value: String(i), random });
          }
        }
        const agreed = async () => {
          const { items } = await truth.list(ConfigMap, { namespace });
          const own = items.filter(({ metadata }) => metadata.name.startsWith('n'));
          return [own, own.filter(({ metadata }) => metadata.labels?.even === 'true')].every((list, i) =>
            isSame(
              list,
              (informers[i]?.store.list() ?? []).filter(({ metadata }) => metadata.name.startsWith('n')),
            ),
          );
        };
        await until(agreed, { what: 'informers and server to agree', timeoutMs: 300_000 });
        const { items } = await truth.list(ConfigMap, { namespace });
        const values = items.filter(({ metadata }) => metadata.name.startsWith('n'));
        assert.deepEqual(
          new Map(values.map(({ metadata, data }) => [metadata.name, data?.value ?? ''])),
          expected,
          `seed ${seed}`,
        );
        t.diagnostic(`seed ${seed}: ${JSON.stringify(proxy.counts)}`);
        const { well, ...failed } = proxy.counts;
        const all = Object.values(failed).reduce((sum, each) => sum + each, 0);
        assert.ok(all > well / 5, 'too little failed');
        assert.deepEqual(unhandled, []);
      } finally {
        process.off('unhandledRejection', note);
      }
    });
  });
}

interface Write {
  readonly name: string;
  readonly namespace: string;
  readonly value: string;
  readonly random: () => number;
}

/** By apply, which may happen twice, or by create, of which the second is told from the first. */
async function applied(client: Client, { name, namespace, value, random }: Write): Promise<void> {
  const metadata = { name, namespace, labels: { even: String(Number(value) % 2 === 0) } };
  const isNew = random() < 0.3;
  await untilDone(async () => {
    const object = { metadata, data: { value } };
    if (!isNew) await client.apply(ConfigMap, object, { force: true });
    else await client.create(ConfigMap, object).catch((error: unknown) => fallBack(error, object));
  });
  async function fallBack(error: unknown, object: { metadata: typeof metadata; data: { value: string } }) {
    if (!isAlreadyExists(error)) throw error;
    await client.apply(ConfigMap, object, { force: true });
  }
}

async function removed(client: Client, key: string): Promise<void> {
  await untilDone(() =>
    client.delete(ConfigMap, key).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    }),
  );
}

async function untilDone(write: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await write();
      return;
    } catch (error) {
      if (tries === 50) throw error;
    }
  }
}

function isSame(list: readonly KubernetesObject[], store: readonly KubernetesObject[]): boolean {
  const versions = (objects: readonly KubernetesObject[]) =>
    objects.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  return versions(list).join() === versions(store).join();
}
