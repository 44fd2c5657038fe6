/** The examples of the engine, in virtual time. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createClient, installDefinitions } from '@keelson/client';
import { rolesOf, withSettings } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Lease } from '@keelson/core/coordination/v1';
import { Event } from '@keelson/core/events/v1';
import { ConfigMap, Namespace, Secret, Service } from '@keelson/core/v1';
import { createManager, printPlannedPass, textLogger } from '@keelson/runtime';
import { crdOf } from '@keelson/schema';
import { type OperatorProgram, startCluster } from '@keelson/testing';
import * as settled from '../runtime/choose-by-settings.ts';
import * as finalized from '../runtime/clean-up-outside.ts';
import * as led from '../runtime/one-of-two-works.ts';
import * as monitored from '../runtime/optional-kind.ts';
import * as planned from '../runtime/plan-first.ts';
import * as polled from '../runtime/poll-the-outside.ts';
import * as mapped from '../runtime/read-in-a-mapping.ts';
import * as referring from '../runtime/refer-to-a-secret.ts';
import * as tidy from '../runtime/remove-what-is-left.ts';
import * as sharing from '../runtime/share-with-others.ts';
import * as scoped from '../runtime/some-namespaces.ts';
import * as swept from '../runtime/sweep-by-a-task.ts';
import * as quiet from '../runtime/wake-when-it-matters.ts';

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

test('clean-up-outside: the record of a Site follows its host, and goes with it', async () => {
  const { recordOperator, records, Site } = finalized;
  await using cluster = await startCluster({ operators: [recordOperator] });
  await cluster.client.create(Site, { metadata, spec: { host: 'a.example' } });
  await cluster.clock.advance(1000);
  assert.deepEqual([...records.values()], ['a.example']);
  await cluster.client.patch(Site, 'default/a', { spec: { host: 'b.example' } });
  await cluster.clock.advance(1000);
  assert.deepEqual([...records.values()], ['b.example']);
  await cluster.client.delete(Site, 'default/a');
  await cluster.eventuallyGone(Site, 'default/a');
  assert.equal(records.size, 0);
});

test('one-of-two-works: a Bell rings once a minute, and the other replica goes on when the leader dies', async () => {
  const { Bell, bellOperator, heard } = led;
  await using cluster = await startCluster({ operators: [bellOperator], replicas: 2 });
  await cluster.client.create(Bell, { metadata, spec: { sound: 'ding' } });
  await cluster.clock.advance(190_000);
  assert.equal(heard.length, 4);
  const lease = await cluster.client.get(Lease, 'operators/bell-operator');
  const leader = cluster.replicas.find(({ index }) => lease.spec?.holderIdentity === `bell-operator-${index}`);
  assert.ok(leader);
  leader.crash();
  await cluster.clock.advance(180_000);
  assert.equal(heard.length, 7);
});

test('choose-by-settings: an App gets its image from the registry that was chosen, and there must be one', async () => {
  const { App, appOperator } = settled;
  assert.throws(() => createManager(appOperator), /^RangeError: settings are not valid: registry: /);
  const chosen = withSettings(appOperator, { registry: 'registry.test' });
  await using cluster = await startCluster({ operators: [chosen] });
  await cluster.client.create(App, { metadata, spec: { image: 'shop:1' } });
  const { spec } = await cluster.eventually(Deployment, 'default/a');
  const [container] = spec.template.spec?.containers ?? [];
  assert.deepEqual([container?.image, container?.imagePullPolicy], ['registry.test/shop:1', 'IfNotPresent']);
});

test('sweep-by-a-task: a Draft goes when it is ten minutes old, and not before', async () => {
  const { Draft, draftOperator } = swept;
  await using cluster = await startCluster({ operators: [draftOperator] });
  await cluster.client.create(Draft, { metadata, spec: { text: 'once upon a time' } });
  await cluster.eventually(Draft, 'default/a', ({ status }) => status?.words === 4, 10_000);
  await cluster.clock.advance(9 * 60_000);
  assert.ok(await cluster.client.find(Draft, 'default/a'));
  await cluster.clock.advance(2 * 60_000);
  assert.equal(await cluster.client.find(Draft, 'default/a'), undefined);
});

test('share-with-others: what is shared stays as others made it, and all else is put right', async () => {
  const { sharingOperator, Site } = sharing;
  await using cluster = await startCluster({ operators: [sharingOperator] });
  const { clock } = cluster;
  await cluster.client.create(Site, { metadata, spec: { image: 'web:1' } });
  await cluster.eventually(Service, 'default/a');
  const other = createClient({ transport: cluster.cluster.transport, clock, fieldManager: 'other' });
  await other.patch(Deployment, 'default/a', [
    { op: 'replace', path: '/spec/replicas', value: 3 },
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:0' },
    { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'proxy', image: 'proxy:1' } },
  ]);
  await other.patch(Service, 'default/a', [{ op: 'replace', path: '/spec/ports/0/port', value: 81 }]);
  await clock.advance(10_000);
  const { spec } = await cluster.client.get(Deployment, 'default/a');
  const images = spec.template.spec?.containers.map(({ image }) => image);
  assert.deepEqual([spec.replicas, images], [3, ['web:1', 'proxy:1']]);
  assert.equal((await cluster.client.get(Service, 'default/a')).spec.ports?.[0]?.port, 80);
  const { items } = await cluster.client.list(Event, { namespace: 'default' });
  assert.ok(items.some(({ reason, note }) => reason === 'ForeignItemsRemoved' && note?.startsWith('other had added')));
});

test('wake-when-it-matters: a Site is looked at for its page and on request, and for nothing else', async () => {
  const { passes, quietOperator, Site } = quiet;
  await using cluster = await startCluster({ operators: [quietOperator] });
  const woken = async () => {
    await cluster.clock.advance(1000);
    return passes.splice(0).length;
  };
  const { client } = cluster;
  await client.create(Site, { metadata, spec: { page: 'hello' } });
  assert.equal(await woken(), 2, 'the Site came, and then its ConfigMap');
  await client.patch(Site, 'default/a', { metadata: { labels: { team: 'web' }, annotations: { note: 'x' } } });
  await client.patch(ConfigMap, 'default/a', { metadata: { annotations: { note: 'x' } } });
  assert.equal(await woken(), 0);
  await client.patch(Site, 'default/a', { metadata: { annotations: { 'example.com/refresh': '1' } } });
  assert.equal(await woken(), 1);
  await client.patch(ConfigMap, 'default/a', { data: { page: 'defaced' } });
  await cluster.eventually(ConfigMap, 'default/a', ({ data }) => data?.page === 'hello', 1000);
  assert.ok((await woken()) >= 1);
  await client.patch(Site, 'default/a', { metadata: { labels: { paused: 'true' } }, spec: { page: 'later' } });
  assert.equal(await woken(), 0);
});

test('remove-what-is-left: pages and a Service go when they are no longer asked for', async () => {
  const { Site, tidyOperator } = tidy;
  await using cluster = await startCluster({ operators: [tidyOperator] });
  await cluster.client.create(ConfigMap, { metadata: { ...metadata, name: 'foreign' } });
  await cluster.client.create(Site, { metadata, spec: { pages: { home: 'hello', about: 'us' }, public: true } });
  await cluster.eventually(Service, 'default/a');
  await cluster.client.patch(Site, 'default/a', { spec: { pages: { about: null }, public: false } });
  await cluster.eventuallyGone(Service, 'default/a');
  const { items } = await cluster.client.list(ConfigMap, { namespace: 'default' });
  const names = items.map((each) => each.metadata.name).filter((name) => name !== 'kube-root-ca.crt');
  assert.deepEqual(names.sort(), ['a-home', 'foreign']);
});

test('some-namespaces: Sites elsewhere are left alone, and Secrets are seen in the vault alone', async () => {
  const { scopedOperator, Site } = scoped;
  const namespaces = ['one', 'two'];
  const roles = rolesOf(scopedOperator, { namespace: 'system', namespaces });
  assert.deepEqual(roles.map(({ namespace }) => namespace).sort(), ['one', 'two', 'vault']);
  const run: OperatorProgram['run'] = ({ transport, clock }, signal) => {
    const logger = textLogger({ name: 'scoped-operator', clock, write: () => {} });
    const options = { transport, clock, namespaces, logger, health: false, metrics: false } as const;
    return createManager(scopedOperator, options).start(signal);
  };
  await using cluster = await startCluster({ operators: [{ operator: scopedOperator, run }] });
  const { client, clock } = cluster;
  for (const name of [...namespaces, 'three', 'vault']) await client.create(Namespace, { metadata: { name } });
  for (const namespace of [...namespaces, 'three'])
    await client.create(Site, { metadata: { name: 'a', namespace }, spec: { certificate: 'tls' } });
  const seen = async () => {
    await clock.advance(1000);
    const { items } = await client.list(Site);
    return items.map(({ metadata: { namespace }, status }) => `${namespace}: ${status?.isSecure}`).sort();
  };
  await client.create(Secret, { metadata: { name: 'tls', namespace: 'one' } });
  assert.deepEqual(await seen(), ['one: false', 'three: undefined', 'two: false']);
  await client.create(Secret, { metadata: { name: 'tls', namespace: 'vault' } });
  assert.deepEqual(await seen(), ['one: true', 'three: undefined', 'two: true']);
});
