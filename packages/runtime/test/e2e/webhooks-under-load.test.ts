/** Webhooks whose certificates and replicas change while an API server calls them over HTTPS, at a URL on this machine. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { applyAccount, type Cluster, createCluster } from '@keelson/cluster';
import { rulesOf, type Transport } from '@keelson/core';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { definitionIsTold } from '../told-definition.ts';
import { loaded, rollOutUnderLoad, rotateUnderLoad } from '../webhooks-under-load.ts';

const found = await availability();

describe('webhooks under load, on the embedded server', () => {
  let cluster: Cluster;
  before(async () => {
    cluster = createCluster();
    await cluster.ready;
  });
  after(() => cluster[Symbol.asyncDispose]());
  underLoad(1000, async () => {
    const client = createClient({ transport: cluster.transport, fieldManager: 'test' });
    const name = await accountOf(client);
    return { client, own: cluster.transportAs({ name, groups: [] }) };
  });
});

describe('webhooks under load, on a real API server', { skip: found.available ? false : found.reason }, () => {
  let kube: Kubernetes;
  const transports: Transport[] = [];
  const way = async (kubeconfig: string) => {
    const transport = connect(await loadConfig({ kubeconfig }));
    transports.push(transport);
    return transport;
  };
  before(async () => {
    kube = await startKubernetes({ controllers: false });
  });
  after(async () => {
    for (const transport of transports) await transport[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });
  test('a definition that converts by a webhook is told whom to trust', async () => {
    await definitionIsTold(createClient({ transport: await way(kube.kubeconfig), fieldManager: 'test' }));
  });
  underLoad(3000, async () => {
    const client = createClient({ transport: await way(kube.kubeconfig), fieldManager: 'test' });
    return { client, own: await way(await kube.kubeconfigFor({ user: await accountOf(client) })) };
  });
});

const accountOf = (client: Client) =>
  applyAccount(client, { namespace: 'operators', name: loaded.name, rules: rulesOf(loaded) });

interface Ways {
  readonly client: Client;
  /** The operator's, with the rights that follow from its declarations. */
  readonly own: Transport;
}

function underLoad(settleMs: number, ways: () => Promise<Ways>): void {
  test('a thousand admissions while authority and certificate change twice: none fails', async (t) => {
    const { calls, failures } = await rotateUnderLoad({ ...(await ways()), settleMs, calls: 1000 });
    t.diagnostic(`${calls} admissions`);
    assert.deepEqual(failures, []);
    assert.ok(calls >= 1000);
  });

  test('two rollouts under load, each with a stop and its drain: no admission fails', async (t) => {
    const { calls, failures } = await rollOutUnderLoad({ ...(await ways()), calls: 100 });
    t.diagnostic(`${calls} admissions`);
    assert.deepEqual(failures, []);
  });
}
