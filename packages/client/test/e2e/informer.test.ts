/** Informers on a real API server, while everything under them breaks. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isGone, type Transport } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { type Client, type ClusterConfig, connect, createClient, createInformer, loadConfig } from '../../src/index.ts';
import { startForwarder } from '../forwarder.ts';
import { History } from '../history.ts';
import { InformerTrial } from '../informer-trial.ts';
import { until } from '../until.ts';

const available = await availability({ pods: false });
const only = { skip: available.available ? false : available.reason };

describe('informers on a real API server', only, () => {
  let kube: Kubernetes;
  let config: ClusterConfig;
  let transport: Transport;
  let client: Client;

  before(async () => {
    kube = await startKubernetes();
    config = await loadConfig({ kubeconfig: kube.kubeconfig });
    transport = connect(config);
    client = createClient({ transport });
  });

  after(async () => {
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  test('keep up with changes, and see deletions and successors', async () => {
    await using trial = await InformerTrial.start(client, client);
    await trial.change(60);
    await trial.assertAgreement();
    assert.deepEqual(trial.errors, []);
    assert.ok((trial.watched[0]?.history.events ?? 0) > 60);
  });

  test('lose nothing when connections are cut, wherever they are in a line', async () => {
    await using forwarder = await startForwarder(kube.server);
    await using cuttable = connect({ ...config, server: forwarder.url });
    await using trial = await InformerTrial.start(client, createClient({ transport: cuttable }));
    for (let cuts = 0; cuts < 5; cuts++) {
      const changes = trial.change(20);
      await until(() => trial.watched.every(({ informer }) => informer.health.phase === 'watching'), {
        timeoutMs: 60_000,
      });
      forwarder.cut();
      await changes;
    }
    await trial.assertAgreement();
    assert.ok(trial.errors.length >= 5, 'the cuts were noticed');
  });

  test('lose nothing while the API server is killed three times, stands still, and history is compacted away', async () => {
    await using trial = await InformerTrial.start(client, client);
    for (let kills = 0; kills < 3; kills++) {
      await trial.change(15);
      await kube.killApiServer();
      if (kills === 1) await kube.compactEtcd();
      await kube.restartApiServer();
      await trial.change(15); // before most informers are back
      await kube.compactEtcd();
    }
    kube.suspendApiServer();
    const held = trial.change(10);
    kube.resumeApiServer();
    await held;
    await trial.assertAgreement();
    assert.ok(trial.errors.length >= 3, 'each kill was noticed');
  });

  test('list again when the server has compacted away what they would resume from', async () => {
    const controller = new AbortController();
    const errors: Error[] = [];
    const informer = createInformer(client, ConfigMap, {
      namespace: 'default',
      onError: (error) => errors.push(error),
    });
    const history = new History();
    informer.subscribe((event) => history.note(event));
    await client.create(ConfigMap, { metadata: { name: 'doomed', namespace: 'default' } });
    const stopped = informer.start(controller.signal);
    await informer.synced;
    // The informer is away while the history is made that no server will be able to tell.
    for (let round = 0; !errors.some(isGone); round++) {
      assert.ok(round < 5, 'the informer never met a 410');
      await kube.killApiServer();
      await until(() => informer.health.phase === 'waiting', { timeoutMs: 60_000 });
      await kube.restartApiServer();
      await client.delete(ConfigMap, 'default/doomed');
      await client.create(ConfigMap, { metadata: { name: 'doomed', namespace: 'default' } });
      await kube.compactEtcd();
      await kube.restartApiServer();
      const { uid } = (await client.get(ConfigMap, 'default/doomed')).metadata;
      await until(() => informer.store.get('default/doomed')?.metadata.uid === uid, { timeoutMs: 60_000 });
    }
    history.assertLegal(informer.store.list());
    controller.abort();
    await stopped;
  });
});
