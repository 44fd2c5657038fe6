/** The examples of the engine, in virtual time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { installDefinitions } from '@keelson/client';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { createManager, printPlannedPass } from '@keelson/runtime';
import { crdOf } from '@keelson/schema';
import { startCluster } from '@keelson/testing';
import * as monitored from '../runtime/optional-kind.ts';
import * as planned from '../runtime/plan-first.ts';
import * as polled from '../runtime/poll-the-outside.ts';
import * as mapped from '../runtime/read-in-a-mapping.ts';
import * as referring from '../runtime/refer-to-a-secret.ts';

const metadata = { name: 'a', namespace: 'default' };

test('refer-to-a-secret: the status follows the Secret that a Site names', async () => {
  const { Site, siteOperator } = referring;
  await using cluster = await startCluster({ operators: [siteOperator] });
  const shows = (text: string) =>
    cluster.eventually(Site, 'default/a', ({ status }) => status?.certificate === text, 10_000);
  await cluster.client.create(Site, { metadata, spec: { tlsSecret: 'tls' } });
  await shows('none');
  await cluster.client.create(Secret, { metadata: { ...metadata, name: 'tls' }, stringData: { 'tls.crt': 'first' } });
  await shows('first');
  await cluster.client.patch(Secret, 'default/tls', { data: { 'tls.crt': 'c2Vjb25k' } });
  await shows('second');
  await cluster.client.delete(Secret, 'default/tls');
  await shows('none');
});

test('read-in-a-mapping: a changed profile reaches every Site that lists it', async () => {
  const { Site, profileOperator } = mapped;
  await using cluster = await startCluster({ operators: [profileOperator] });
  await cluster.client.create(Site, { metadata, spec: { profiles: ['strict'] } });
  await cluster.eventually(Site, 'default/a', ({ status }) => status?.headers?.length === 0, 10_000);
  const labels = { 'example.com/profile': 'true' };
  await cluster.client.create(ConfigMap, { metadata: { ...metadata, name: 'strict', labels }, data: { hsts: '1' } });
  const { status } = await cluster.eventually(Site, 'default/a', (site) => site.status?.headers?.length === 1, 10_000);
  assert.deepEqual(status?.headers, ['hsts']);
});

test('optional-kind: a Site gets its Monitor when the definition comes', async () => {
  const { Monitor, monitoredOperator, Site } = monitored;
  await using cluster = await startCluster({ operators: [monitoredOperator] });
  await cluster.client.create(Site, { metadata, spec: { host: 'a.example' } });
  await cluster.eventually(Site, 'default/a', ({ status }) => status?.monitored === false, 10_000);
  const installed = installDefinitions(cluster.client, [crdOf(Monitor)], { clock: cluster.clock });
  await cluster.clock.advance(60_000);
  await installed;
  const monitor = await cluster.eventually(Monitor, 'default/a');
  assert.equal(monitor.spec.target, 'a.example');
});

test('poll-the-outside: a Site follows what the registrar and a hook say', async () => {
  const { hooks, polledOperator, registrar, Site } = polled;
  await using cluster = await startCluster({ operators: [polledOperator] });
  const shows = (text: string, limitMs: number) =>
    cluster.eventually(Site, 'default/a', ({ status }) => status?.expires === text, limitMs);
  await cluster.client.create(Site, { metadata, spec: { domain: 'a.example' } });
  await shows('unknown', 10_000);
  registrar.expiry.set('a.example', '2030');
  registrar.changed.add('a.example');
  await shows('2030', 61_000);
  registrar.expiry.set('a.example', '2031');
  hooks.wake('default/a');
  await shows('2031', 1000);
});

test('plan-first: what would change is printed, and neither the cluster nor the outside hears of it', async () => {
  const { directory, plannedOperator, Site } = planned;
  await using cluster = await startCluster({ operators: [plannedOperator] });
  const { client, clock } = cluster;
  await client.create(Site, { metadata: { ...metadata, name: 'shop' }, spec: { host: 'shop.example' } });
  await cluster.eventually(Site, 'default/shop', ({ status }) => status?.published === true, 10_000);
  await cluster.replicas[0]?.stop();
  await client.create(Site, { metadata: { ...metadata, name: 'blog' }, spec: { host: 'blog.example' } });
  await client.patch(Site, 'default/shop', { spec: { host: 'shop.test' } });
  let text = '';
  const manager = createManager(plannedOperator, {
    transport: cluster.cluster.transport,
    clock,
    plan: (pass) => {
      text += printPlannedPass(pass);
    },
  });
  const ended = manager.start(new AbortController().signal);
  await clock.advance(1000);
  await ended;
  assert.deepEqual([...directory], ['shop.example']);
  assert.ok(readFileSync(new URL('../../docs/runtime.md', import.meta.url), 'utf8').includes(text), text);
});
