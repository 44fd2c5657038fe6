/** Drift that apply cannot repair, on a real API server, with the kubectl that makes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import { deadline, operator, sleep } from '@keelson/core';
import { Event } from '@keelson/core/events/v1';
import { systemClock } from '@keelson/core/system';
import { Service } from '@keelson/core/v1';
import { crdOf, defineKind } from '@keelson/schema';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { z } from 'zod';
import { controller, createManager, done } from '../../src/index.ts';

const Site = defineKind({
  group: 'drift.example.com',
  kind: 'Site',
  hub: 'v1',
  versions: { v1: { storage: true, spec: z.object({ host: z.string().default('') }), status: z.object({}) } },
});

const siteOperator = operator({
  name: 'site-operator',
  controllers: [
    controller({
      for: Site,
      owns: [Service],
      async reconcile({ metadata }, { owned }) {
        const { name } = metadata;
        const ports = [{ name: 'http', port: 80 }];
        await owned.apply(Service, { metadata: { name }, spec: { selector: { app: name }, ports } });
        return done;
      },
    }),
  ],
});

const found = await availability();

test('kubectl patch service from port 80 to 81, and a second port: both are put right, with an Event each', {
  skip: found.available ? false : found.reason,
}, async () => {
  await using kube = await startKubernetes({ controllers: false });
  const config = await loadConfig({ kubeconfig: kube.kubeconfig });
  await using transport = connect(config);
  const client = createClient({ transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Site)]);
  await client.create(Site, { metadata: { namespace: 'default', name: 'a' } });
  const stop = new AbortController();
  const silent = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };
  const manager = createManager(siteOperator, { transport, health: false, metrics: false, logger: silent });
  const running = manager.start(stop.signal);

  const ports = async () =>
    (await client.find(Service, 'default/a'))?.spec.ports?.map(({ name, port }) => `${name} ${port}`).join(', ');
  const until = async (what: string, holds: () => Promise<boolean>) => {
    using limit = deadline(systemClock, 300_000, what);
    while (!(await holds())) {
      assert.ok(!limit.signal.aborted, `${what}: ports are ${await ports()}`);
      await sleep(systemClock, 20);
    }
  };
  const notes = async () =>
    (await client.list(Event)).items.filter(({ reason }) => reason === 'ForeignItemsRemoved').map(({ note }) => note);

  await until('the service is there', async () => (await ports()) === 'http 80');
  const patch = (op: object) => kube.kubectl('patch', 'service', 'a', '--type=json', '-p', JSON.stringify([op]));

  await patch({ op: 'replace', path: '/spec/ports/0/port', value: 81 });
  await until('port 81 is 80 again', async () => (await ports()) === 'http 80');
  await patch({ op: 'add', path: '/spec/ports/-', value: { name: 'extra', port: 8080 } });
  await until('the second port is gone', async () => (await ports()) === 'http 80');
  await until('both are told', async () => (await notes()).length === 2);
  assert.deepEqual((await notes()).sort(), [
    'kubectl-patch had added spec.ports[port=8080,protocol=TCP] to Service default/a, which this operator describes; removed',
    'kubectl-patch had added spec.ports[port=81,protocol=TCP] to Service default/a, which this operator describes; removed',
  ]);
  stop.abort(new Error('the test is over'));
  await running;
});
