/** The same trial for long: twenty kills, cuts and stalls, and a heap that does not grow. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { connect, createClient, loadConfig } from '../../src/index.ts';
import { startForwarder } from '../forwarder.ts';
import { InformerTrial } from '../informer-trial.ts';
import { until } from '../until.ts';

const available = await availability({ pods: false });
const only = { skip: available.available ? false : available.reason };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapAfterCollection(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

test('twenty kills, cuts and stalls: nothing is lost, and the heap does not grow', only, async (t) => {
  await using kube = await startKubernetes();
  const config = await loadConfig({ kubeconfig: kube.kubeconfig });
  await using transport = connect(config);
  const client = createClient({ transport });
  await using forwarder = await startForwarder(kube.server);
  await using cuttable = connect({ ...config, server: forwarder.url });
  await using trial = await InformerTrial.start(client, createClient({ transport: cuttable }));
  let quarter = 0;
  for (let kills = 1; kills <= 20; kills++) {
    await trial.change(20);
    await kube.killApiServer();
    if (kills % 3 === 0) await kube.compactEtcd();
    await kube.restartApiServer();
    await trial.change(20);
    forwarder.cut();
    if (kills % 4 === 0) await kube.compactEtcd();
    if (kills === 5) {
      await trial.assertAgreement();
      trial.errors.length = 0; // they are the test's own growth
      quarter = heapAfterCollection();
    }
  }
  // A connection that stays open and carries nothing: only the watchdog can notice, after three minutes.
  await trial.assertAgreement();
  forwarder.stall();
  await trial.change(20);
  const silences = () => trial.watched.reduce((sum, { informer }) => sum + informer.health.counts.silences, 0);
  const before = silences();
  await until(() => silences() >= before + trial.watched.length, { timeoutMs: 300_000 });
  forwarder.resume();
  await trial.assertAgreement(120_000);
  trial.errors.length = 0;
  const ratio = heapAfterCollection() / quarter;
  t.diagnostic(
    `heap after the first quarter ${(quarter / 1e6).toFixed(1)} MB, at the end ${ratio.toFixed(2)} times that`,
  );
  assert.ok(ratio <= 1.2, `the heap grew to ${ratio} times what it was after the first quarter`);
});
