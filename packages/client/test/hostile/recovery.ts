/**
 * After the siege: the address at which a hostile server was is a good one's again, and whoever held on to it has the
 * truth in the end, with nothing left of what it was told before.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sleep, type Transport } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { ConfigMap, Namespace } from '@keelson/core/v1';
import { connect, createClient, createInformer } from '../../src/index.ts';
import { runInformer } from '../run-informer.ts';
import { configFor } from '../scripted-server.ts';
import { fastClock } from '../suites/fast-clock.ts';
import type { Offer, Server } from '../suites/server.ts';
import { until } from '../until.ts';
import { behaviours } from './behaviours.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { startHostileServer } from './hostile-server.ts';
import { seeded } from './seeded.ts';

export interface RecoveryOptions {
  /** How long each behaviour lasts. */
  readonly forMs: number;
}

/** The informer's time runs so much faster, or it would be the backoff that is waited for. */
const factor = 20;
const namespace = 'recovery';
const names = ['a', 'b', 'c'];

export function describeRecovery(offer: Offer, { forMs }: RecoveryOptions): void {
  // Several at once, so that all of them take a minute.
  describe(`an informer has the truth of ${offer.name} after a server that`, {
    concurrency: 8,
    skip: offer.skip,
  }, () => {
    let server: Server | undefined;
    let direct: Transport | undefined;
    before(async () => {
      server = await offer.start();
      direct = connect(server.config);
      const truth = createClient({ transport: direct });
      await truth.create(Namespace, { metadata: { name: namespace } });
      for (const name of names) await truth.create(ConfigMap, { metadata: { name, namespace }, data: { truth: name } });
      // Lies about the past are believed as long as a server goes on from them: this one cannot.
      await server.compact();
    });
    after(async () => {
      await direct?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    for (const [name, behaviour] of Object.entries(behaviours)) {
      test(name, { timeout: 360_000 }, async () => {
        const { random } = seeded(name);
        const hostile = await startHostileServer(behaviour, random);
        await using transport = connect(configFor(hostile.url));
        const client = createClient({ transport });
        const clock = fastClock(systemClock, factor);
        const informer = createInformer(client, ConfigMap, { namespace, clock, onError: () => {} });
        await using _running = runInformer(informer);
        await sleep(systemClock, forMs);
        await hostile[Symbol.asyncDispose]();
        await using _good = await startFaultProxy(server?.config ?? assert.fail(), random, {
          share: 0,
          port: hostile.port,
        });
        const truth = names.map((each) => `${each} ${each}`);
        const found = () =>
          informer.store
            .list()
            .filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt')
            .map(({ metadata, data }) => `${metadata.name} ${data?.truth}`)
            .sort();
        await until(() => found().join() === truth.join(), { what: 'the truth', timeoutMs: 300_000 });
      });
    }
  });
}
