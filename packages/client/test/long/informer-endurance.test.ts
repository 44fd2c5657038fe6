/** The informers' trial for long: twenty kills, cuts and stalls, and a heap that does not grow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availability, startForwarder, startKubernetes } from '@keelson/tools-kubernetes';
import { connect, createClient, loadConfig } from '../../src/index.ts';
import { noticeCutLines } from '../cut-lines.ts';
import { heapAfterCollection } from '../heap.ts';
import { InformerTrial } from '../informer-trial.ts';
import { until } from '../until.ts';

const available = await availability({ pods: false });
const only = { skip: available.available ? false : available.reason };

const kills = 20;

test('twenty kills, cuts and stalls: nothing is lost, and the heap does not grow', only, async (t) => {
  await using kube = await startKubernetes();
  const config = await loadConfig({ kubeconfig: kube.kubeconfig });
  await using transport = connect(config);
  const client = createClient({ transport });
  await using forwarder = await startForwarder(kube.server);
  await using cuttable = noticeCutLines(connect({ ...config, server: forwarder.url }));
  await using trial = await InformerTrial.start(client, createClient({ transport: cuttable }));
  const areWatching = () =>
    until(() => trial.watched.every(({ informer }) => informer.health.phase === 'watching'), { timeoutMs: 120_000 });
  let quarter = 0;
  for (let kill = 1; kill <= kills; kill++) {
    await trial.change(20);
    await kube.killApiServer();
    if (kill % 3 === 0) await kube.compactEtcd();
    await kube.restartApiServer();
    await trial.change(20);
    switch (kill % 4) {
      case 0: // in the middle of a line, for certain
        await areWatching();
        forwarder.cut({ afterBytes: 100_000 });
        await trial.changeAtLength(300_000);
        break;
      case 1: // for a while, on all connections
        forwarder.stall();
        await trial.change(10);
        forwarder.resume();
        break;
      case 2:
        forwarder.cut();
        break;
      default: // while others write
        await Promise.all([trial.change(20), kube.compactEtcd()]);
    }
    if (kill !== kills / 4) continue;
    await trial.assertAgreement(120_000);
    trial.errors.length = 0; // they are the test's own growth
    quarter = heapAfterCollection();
  }
  await trial.assertAgreement(120_000);

  // A connection that stays open and carries nothing: only the watchdog can notice, after three minutes.
  forwarder.stall();
  await trial.change(20);
  const before = trial.silences;
  await until(() => trial.silences >= before + trial.watched.length, { timeoutMs: 300_000 });
  forwarder.resume();
  await trial.assertAgreement(120_000);

  trial.errors.length = 0;
  const ratio = heapAfterCollection() / quarter;
  const lists = trial.watched.map(({ informer }) => informer.health.counts.lists);
  t.diagnostic(
    `${trial.gone} times 410, ${cuttable.cutLines} lines cut, lists ${lists.join(' ')}; heap after the first quarter ${(quarter / 1e6).toFixed(1)} MB, at the end ${ratio.toFixed(2)} times that`,
  );
  assert.ok(trial.gone >= kills / 2, `only ${trial.gone} watches got 410`);
  assert.ok(cuttable.cutLines >= 5, `only ${cuttable.cutLines} lines were cut in the middle`);
  assert.ok(ratio <= 1.2, `the heap grew to ${ratio} times what it was after the first quarter`);
});
