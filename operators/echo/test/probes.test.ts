/** What the process serves: probes that know of the caches, and metrics. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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

test('alerts and the dashboard name no metric that is not served', async () => {
  const observations = createObservations('lease');
  const served = new Set((await observations.registry.metrics()).match(/(?<=^# TYPE )\S+/gm));
  for (const file of ['prometheus_rule.yaml', 'dashboard.json']) {
    const text = readFileSync(new URL(`../config/prometheus/${file}`, import.meta.url), 'utf8');
    const named = [...text.matchAll(/\b([a-z_]+?)(?:_bucket)?\{job=/g)].map(([, name = '']) => name);
    assert.ok(named.length > 2);
    assert.deepEqual(
      named.filter((name) => name !== 'up' && !served.has(name)),
      [],
    );
  }
});

test('metrics are at their path, with what was counted', async () => {
  const observations = createObservations('lease');
  await using metrics = await serve(0, metricsHandler(observations, '/m'));
  const { observer } = observations;
  observer.pass?.('Echo');
  observer.pass?.('Echo', new Error('x'));
  const health = { lastError: new Error('x') };
  observer.informers?.([{ kind: Echo, synced: Promise.resolve(), health, store: { size: 2 } } as unknown as Informer]);
  observer.leading?.(true);
  observer.queue?.added?.();
  observer.queue?.depth?.(0, 3);
  const { text } = await get(metrics.port, '/m');
  for (const line of [
    'controller_runtime_reconcile_total{controller="echo",result="success"} 1',
    'controller_runtime_reconcile_total{controller="echo",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="echo"} 1',
    'controller_runtime_reconcile_errors_total{controller="scheduledecho"} 0',
    'keelson_watch_degraded{resource="echos.mmontes.io"} 1',
    'keelson_cache_objects{resource="echos.mmontes.io"} 2',
    'leader_election_master_status{name="lease"} 1',
    'workqueue_adds_total{name="echo"} 1',
    'workqueue_depth{name="echo"} 3',
  ]) {
    assert.ok(text.includes(`${line}\n`), `${line} in\n${text}`);
  }
  assert.equal((await get(metrics.port, '/metrics')).status, 404);
});
