/** What others do to owned objects, and what apply alone could not repair. On a real server: e2e/drift.test.ts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '@keelson/client';
import { operator, removable } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Event } from '@keelson/core/events/v1';
import { ConfigMap, Service } from '@keelson/core/v1';
import { conditions, defineKind } from '@keelson/schema';
import { startCluster, type TestCluster } from '@keelson/testing';
import { z } from 'zod';
import { controller, done } from '../src/index.ts';
import { documented } from './documented.ts';

const Site = defineKind({
  group: 'drift.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: {
    v1: {
      storage: true,
      spec: z.object({ pages: z.array(z.string()).default([]) }),
      status: z.object({ conditions: conditions('Ready') }),
    },
  },
});

const key = 'default/a';
const site = { metadata: { namespace: 'default', name: 'a' } };
const labels = { app: 'a' };
const service = {
  metadata: { name: 'a' },
  spec: { selector: labels, ports: [{ name: 'http', port: 80 }] },
};
const deployment = {
  metadata: { name: 'a' },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1', args: ['-v'] }] } },
  },
};

async function start(
  reconcile: Parameters<
    typeof controller<
      typeof Site,
      readonly [typeof Service, typeof Deployment, ReturnType<typeof removable<typeof ConfigMap>>]
    >
  >[0]['reconcile'],
): Promise<TestCluster & { readonly requests: string[] }> {
  const requests: string[] = [];
  const cluster = await startCluster({
    operators: [
      operator({
        name: 'site-operator',
        controllers: [controller({ for: Site, owns: [Service, Deployment, removable(ConfigMap)], reconcile })],
      }),
    ],
    intercept: (transport) => ({
      request(request) {
        if (!request.streaming && !request.path.includes('/events')) requests.push(`${request.method} ${request.path}`);
        return transport.request(request);
      },
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    }),
  });
  await cluster.client.create(Site, site);
  return Object.assign(cluster, { requests });
}

const rival = ({ cluster, clock }: TestCluster) =>
  createClient({ transport: cluster.transport, clock, fieldManager: 'kubectl-patch' });

const notes = async ({ client }: TestCluster) =>
  (await client.list(Event)).items.filter(({ reason }) => reason === 'ForeignItemsRemoved').map(({ note }) => note);

const withService = async (_: unknown, { owned }: { owned: { apply: (...args: never[]) => Promise<unknown> } }) => {
  await owned.apply(Service as never, service as never);
  return done;
};

test('a port that was changed is put right, and one Event names who had changed it', async () => {
  await using cluster = await start(withService);
  await cluster.eventually(Service, key);
  await rival(cluster).patch(Service, key, [{ op: 'replace', path: '/spec/ports/0/port', value: 81 }]);
  const { spec } = await cluster.eventually(Service, key, ({ spec }) => spec.ports?.[0]?.port === 80);
  assert.deepEqual(spec.ports, [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 80 }]);
  await cluster.clock.advance(60_000);
  assert.deepEqual(await notes(cluster), documented('A Warning Event `ForeignItemsRemoved`'));
});

test('a port that was added beside ours is taken out; fields that are not described stay', async () => {
  await using cluster = await start(withService);
  await cluster.eventually(Service, key);
  await rival(cluster).patch(Service, key, [
    { op: 'add', path: '/spec/ports/-', value: { name: 'extra', port: 81 } },
    { op: 'add', path: '/spec/sessionAffinity', value: 'ClientIP' },
    { op: 'add', path: '/metadata/annotations', value: { theirs: 'kept' } },
  ]);
  await cluster.eventually(Service, key, ({ spec }) => spec.ports?.length === 1);
  const { spec, metadata } = await cluster.client.get(Service, key);
  assert.equal(spec.sessionAffinity, 'ClientIP');
  assert.equal(metadata.annotations?.theirs, 'kept');

  await cluster.clock.advance(10_000);
  const before = cluster.requests.length;
  await cluster.client.patch(Service, key, { metadata: { annotations: { theirs: 'changed' } } });
  await cluster.clock.advance(60_000);
  assert.deepEqual(cluster.requests.slice(before), [], 'nothing is asked and nothing written for what is not ours');
});

test('a container that was added is taken out, unless the list is shared', async () => {
  const containers = 'spec.template.spec.containers';
  for (const shared of [[], [containers]]) {
    await using cluster = await start(async (_, { owned }) => {
      await owned.apply(Deployment, deployment, { shared });
      return done;
    });
    await cluster.eventually(Deployment, key);
    const sidecar = { name: 'sidecar', image: 'sidecar:1' };
    await rival(cluster).patch(Deployment, key, [
      { op: 'add', path: '/spec/template/spec/containers/-', value: sidecar },
      { op: 'replace', path: '/spec/template/spec/containers/0/args', value: ['-q'] },
    ]);
    await cluster.clock.advance(60_000);
    const { spec } = await cluster.client.get(Deployment, key);
    const found = spec.template.spec?.containers.map(({ name, args }) => `${name} ${args ?? ''}`);
    assert.deepEqual(found, shared.length > 0 ? ['web -v', 'sidecar '] : ['web -v']);
    assert.equal((await notes(cluster)).length, shared.length > 0 ? 0 : 1);
  }
});

test('shared replicas are ours until somebody else sets them, and his from then on', async () => {
  await using cluster = await start(async (_, { owned }) => {
    await owned.apply(Deployment, deployment, { shared: ['spec.replicas'] });
    return done;
  });
  await cluster.eventually(Deployment, key, ({ spec }) => spec.replicas === 2);
  await rival(cluster).patch(Deployment, key, { spec: { replicas: 5 } }, { subresource: 'scale' });
  await cluster.clock.advance(60_000);
  assert.equal((await cluster.client.get(Deployment, key)).spec.replicas, 5);
  const before = cluster.requests.length;
  await rival(cluster).patch(Deployment, key, { spec: { template: { spec: { priority: null } } } });
  await cluster.clock.advance(60_000);
  assert.deepEqual(cluster.requests.slice(before), []);
});

test('somebody who puts his port back each time is a storm with his name', async () => {
  const cluster = await start(withService);
  await cluster.eventually(Service, key);
  const other = rival(cluster);
  const fight = async () => {
    for (let i = 0; i < 50; i += 1) {
      const { spec } = await other.get(Service, key);
      if (spec.ports?.length === 1)
        await other.patch(Service, key, [{ op: 'add', path: '/spec/ports/-', value: { name: 'extra', port: 81 } }]);
      await cluster.clock.advance(100);
    }
  };
  await assert.rejects(
    fight,
    /kubectl-patch changes spec\.ports\[port=81,protocol=TCP\] of Service default\/a again whenever this operator has set it/,
  );
  await cluster[Symbol.asyncDispose]();
});

test('owned objects that are no longer asked for are removed', async () => {
  await using cluster = await start(async ({ spec }, { owned }) => {
    for (const name of spec.pages) await owned.apply(ConfigMap, { metadata: { name }, data: { page: name } });
    await owned.only(ConfigMap, spec.pages);
    return done;
  });
  await cluster.client.create(ConfigMap, { metadata: { namespace: 'default', name: 'foreign' } });
  await cluster.client.patch(Site, key, { spec: { pages: ['one', 'two', 'three'] } });
  await cluster.eventually(ConfigMap, 'default/three');
  await cluster.client.patch(Site, key, { spec: { pages: ['two'] } });
  await cluster.eventuallyGone(ConfigMap, 'default/three');
  const names = (await cluster.client.list(ConfigMap, { namespace: 'default' })).items.map(
    ({ metadata }) => metadata.name,
  );
  assert.deepEqual(names.filter((name) => name !== 'kube-root-ca.crt').sort(), ['foreign', 'two']);
});
