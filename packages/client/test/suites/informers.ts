/** Informers on any server, while everything under them breaks. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isGone, type Transport } from '@keelson/core';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { type Forwarder, startForwarder } from '@keelson/tools-kubernetes';
import { type Client, connect, createClient, createInformer } from '../../src/index.ts';
import { noticeCutLines } from '../cut-lines.ts';
import { History } from '../history.ts';
import { InformerTrial } from '../informer-trial.ts';
import { runInformer } from '../run-informer.ts';
import { until } from '../until.ts';
import { needing, type Offer, type Server } from './server.ts';

/** An informer pauses for up to a minute, and the machine may be busy. */
const patiently = { timeoutMs: 240_000 };

export function describeInformers(offer: Offer): void {
  describe(`informers on ${offer.name}`, { skip: offer.skip }, () => {
    let server: Server;
    let transport: Transport;
    let client: Client;

    before(async () => {
      server = await offer.start();
      transport = connect(server.config);
      client = createClient({ transport });
    });

    after(async () => {
      await transport?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    /** A way to the server on which a network can fail. */
    const failable = async (): Promise<
      AsyncDisposable & { client: Client; forwarder: Forwarder; cutLines: () => number }
    > => {
      const forwarder = await startForwarder(server.config.server);
      const way = noticeCutLines(connect({ ...server.config, server: forwarder.url }));
      return {
        client: createClient({ transport: way }),
        forwarder,
        cutLines: () => way.cutLines,
        async [Symbol.asyncDispose]() {
          await way[Symbol.asyncDispose]();
          await forwarder[Symbol.asyncDispose]();
        },
      };
    };

    test('keep up with changes, and see deletions and successors', async () => {
      await using trial = await InformerTrial.start(client, client, server);
      await trial.change(60);
      await trial.assertAgreement();
      // Where minutes pass in a second, a machine that is busy for one makes watches outlive their time.
      if (offer.lacks.minutes !== undefined) assert.deepEqual(trial.errors, []);
      assert.ok((trial.watched[0]?.history.events ?? 0) > 60);
    });

    test('lose nothing when connections are cut, wherever they are in a line', async () => {
      await using way = await failable();
      await using trial = await InformerTrial.start(client, way.client, server);
      const { watched } = trial;
      const isConnected = ({ informer: { health } }: (typeof watched)[number]) =>
        health.phase === 'watching' && health.lastError === undefined;
      for (let round = 0; round < 5; round++) {
        const changes = trial.change(20);
        await until(() => watched.every(isConnected), patiently);
        if (round % 2 === 0) {
          const before = watched.map(({ informer }) => informer.health.counts.watches);
          way.forwarder.cut();
          const isAgain = ({ informer }: (typeof watched)[number], i: number) =>
            informer.health.counts.watches > (before[i] ?? 0);
          await until(() => watched.every(isAgain), patiently);
        } else {
          // Whoever replaced its watch just now hears one long line in peace, and not the next.
          const before = way.cutLines();
          const isCutInLine = async () => {
            way.forwarder.cut({ afterBytes: 100_000 });
            await trial.changeAtLength(300_000);
            return way.cutLines() > before;
          };
          await until(isCutInLine, patiently);
        }
        await changes;
      }
      await trial.assertAgreement();
      assert.ok(trial.errors.length >= 3 * watched.length, 'the cuts were noticed');
      assert.ok(way.cutLines() >= 2, 'and some were in the middle of a line');
    });

    test('lose nothing while the API server goes away three times, and its history with it', async () => {
      await using trial = await InformerTrial.start(client, client, server);
      for (let kills = 0; kills < 3; kills++) {
        await trial.change(15);
        await server.kill();
        if (kills > 0) await server.compact();
        await server.restart();
        await trial.change(15); // before most informers are back
      }
      await trial.assertAgreement();
      assert.ok(trial.errors.length >= 3, 'each time was noticed');
      assert.ok(trial.gone > 0, 'and history was lost');
    });

    test('get over a network that stalls without closing', async () => {
      await using way = await failable();
      await using trial = await InformerTrial.start(client, way.client, server);
      way.forwarder.stall();
      await trial.change(15);
      // That nothing comes at all is noticed after three minutes.
      const hasMinutes = offer.lacks.minutes === undefined;
      if (hasMinutes) await until(() => trial.silences >= trial.watched.length, patiently);
      way.forwarder.resume();
      await trial.assertAgreement();
      assert.equal(trial.silences > 0, hasMinutes);
    });

    test('wait for a server that stands still', needing(offer, 'suspension'), async () => {
      await using trial = await InformerTrial.start(client, client, server);
      await trial.change(15);
      server.suspend();
      const held = trial.change(10);
      server.resume();
      await held;
      await trial.assertAgreement();
    });

    test('list again when the server has forgotten what they would resume from', async () => {
      await using way = await failable();
      const errors: Error[] = [];
      const { clock } = server;
      const informer = createInformer(way.client, ConfigMap, {
        namespace: 'default',
        onError: (error) => errors.push(error),
        clock,
      });
      const history = new History();
      informer.subscribe((event) => history.note(event));
      const metadata = { name: 'doomed', namespace: 'default' };
      const first = await client.create(ConfigMap, { metadata });
      await using _running = runInformer(informer);
      await informer.synced;
      assert.equal(informer.store.get('default/doomed')?.metadata.uid, first.metadata.uid);

      // The informer hears nothing while the history is made that no server will be able to tell.
      way.forwarder.stall();
      way.forwarder.cut();
      await client.delete(ConfigMap, 'default/doomed');
      const second = await client.create(ConfigMap, { metadata });
      await server.compact();
      way.forwarder.resume();

      await until(() => informer.store.get('default/doomed')?.metadata.uid === second.metadata.uid, patiently);
      assert.ok(errors.some(isGone), `the informer never met a 410: ${errors.join('\n')}`);
      assert.equal(informer.health.counts.lists, 2);
      history.assertLegal(informer.store.list());
    });

    test(
      'go on from a bookmark, although the last event they saw is forgotten',
      needing(offer, 'minutes'),
      async () => {
        await using way = await failable();
        const errors: Error[] = [];
        const { clock } = server;
        const informer = createInformer(way.client, Secret, {
          namespace: 'default',
          onError: (error) => errors.push(error),
          clock,
        });
        const metadata = { name: 'quiet', namespace: 'default' };
        await client.create(Secret, { metadata });
        await using _running = runInformer(informer);
        await informer.synced;

        // Nothing happens to what it watches; that time has passed elsewhere it hears by bookmarks alone.
        await client.apply(ConfigMap, { metadata }, { fieldManager: 'test' });
        const { resourceVersion } = await client.list(ConfigMap, { namespace: 'default' });
        await until(() => Number(informer.store.resourceVersion) >= Number(resourceVersion), patiently);
        await server.compact();
        way.forwarder.cut();
        await client.patch(Secret, 'default/quiet', { metadata: { labels: { seen: 'yes' } } });

        await until(() => informer.store.get('default/quiet')?.metadata.labels?.seen === 'yes', patiently);
        assert.equal(informer.health.counts.lists, 1, 'no second list was needed');
        assert.ok(errors.length > 0 && !errors.some(isGone), errors.join('\n'));
      },
    );
  });
}
