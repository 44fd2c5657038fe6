/** What the process serves: probes that know of the caches, and metrics. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Informer } from '@keelson/client';
import { Echo } from '../src/api/v1alpha1.ts';
import { createObservations, healthHandler, metricsHandler, serve } from '../src/probes.ts';

const get = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
};

test('it is ready when its caches are, and alive before', async () => {
  const observations = createObservations('lease');
  await using health = await serve(0, healthHandler(observations));
  assert.equal((await get(health.port, '/healthz')).status, 200);
  assert.deepEqual(await get(health.port, '/readyz'), { status: 503, text: 'waiting for the cache of everything\n' });
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  observations.observer.informers?.([{ kind: Echo, synced } as unknown as Informer]);
  assert.deepEqual(await get(health.port, '/readyz'), { status: 503, text: 'waiting for the cache of Echo\n' });
  resolve();
  await synced;
  assert.equal((await get(health.port, '/readyz')).status, 200);
  assert.equal((await get(health.port, '/other')).status, 404);
});

test('metrics are at their path, with what was counted', async () => {
  const observations = createObservations('lease');
  await using metrics = await serve(0, metricsHandler(observations, '/m'));
  const { observer } = observations;
  observer.pass?.('Echo');
  observer.pass?.('Echo', new Error('x'));
  observer.leading?.(true);
  observer.queue?.added?.();
  observer.queue?.depth?.(0, 3);
  const { text } = await get(metrics.port, '/m');
  for (const line of [
    'echo_reconcile_total{kind="Echo",result="success"} 1',
    'echo_reconcile_total{kind="Echo",result="error"} 1',
    'echo_reconcile_total{kind="ScheduledEcho",result="error"} 0',
    'leader_election_master_status{name="lease"} 1',
    'workqueue_adds_total{name="echo"} 1',
    'workqueue_depth{name="echo"} 3',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
  assert.equal((await get(metrics.port, '/metrics')).status, 404);
});
