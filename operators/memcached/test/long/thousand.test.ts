/** A thousand Memcacheds at once on a real control plane: its controllers and scheduler, our simulated node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { conditionOf, deadline, sleep } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { systemClock } from '@keelson/core/system';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { startSimulatedNode } from '@keelson/tools-kubernetes/simulated-node';
import { Memcached } from '../../src/api/memcached.ts';
import { install } from '../installation.ts';
import { type OperatorProcess, startOperator } from '../operator-process.ts';

const found = await availability();
const namespace = 'default';
const names = Array.from({ length: 1000 }, (_, i) => `cache-${i}`);

test('a thousand Memcacheds become Available, and a label on each of them writes no Deployment', {
  skip: found.available ? false : found.reason,
}, async (t) => {
  await using kube = await startKubernetes();
  await using transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  // A thousand requests at once wait for each other.
  const client = createClient({ transport, fieldManager: 'test', timeoutMs: 600_000 });
  const { kubeconfig, webhookFlags } = await install(kube);
  await using _node = await startSimulatedNode(transport);
  await using operator = startOperator(kubeconfig, [...webhookFlags, '--log-causes']);
  const tell = (what: string, begun: number) =>
    t.diagnostic(`${what} after ${((systemClock.monotonic() - begun) / 1000).toFixed(0)} s; ${memoryOf(operator)}`);

  const begun = systemClock.monotonic();
  await Promise.all(
    names.map((name) => client.create(Memcached, { metadata: { namespace, name }, spec: { size: 1 } })),
  );
  tell('all made', begun);
  await until(operator, 'all are Available', () => notAvailable(client));
  tell('all Available', begun);

  const before = await deployments(client);
  assert.equal(before.size, names.length);
  assert.deepEqual(
    new Set([...before.values()].map(({ generation }) => generation)),
    new Set([1]),
    'written once each',
  );
  const passes = () => passesIn(operator.log());
  const passesBefore = passes();
  const labelled = systemClock.monotonic();
  await Promise.all(
    names.map((name) => client.patch(Memcached, `${namespace}/${name}`, { metadata: { labels: { team: 'web' } } })),
  );
  await until(operator, 'a pass for each', async () =>
    names.filter((name) => (passes().get(name) ?? 0) <= (passesBefore.get(name) ?? 0)),
  );
  tell('a pass over each', labelled);

  assert.deepEqual(await deployments(client), before);
  assert.deepEqual(await notAvailable(client), []);
});

/** The names of those that are not Available yet. */
async function notAvailable(client: Client): Promise<readonly string[]> {
  const { items } = await client.list(Memcached, { namespace });
  const available = new Set(
    items.filter((each) => conditionOf(each, 'Available').status === 'True').map(({ metadata }) => metadata.name),
  );
  return names.filter((name) => !available.has(name));
}

async function deployments(client: Client) {
  const { items } = await client.list(Deployment, { namespace });
  return new Map(
    items.map(({ metadata: { name, uid, generation, resourceVersion } }) => [
      name,
      { uid, generation, resourceVersion },
    ]),
  );
}

/** How often the operator has looked at each, by its log. */
function passesIn(log: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n')) {
    if (!line.includes('"Reconciling Memcached"')) continue;
    const { name } = JSON.parse(line) as { readonly name: string };
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

async function until(
  operator: OperatorProcess,
  what: string,
  missing: () => Promise<readonly string[]>,
): Promise<void> {
  using limit = deadline(systemClock, 3_600_000, what);
  for (;;) {
    const left = await missing();
    if (left.length === 0) return;
    assert.ok(operator.isRunning(), operator.log().slice(-2000));
    if (limit.signal.aborted) assert.fail(`${what}: ${left.length} are left, such as ${left.slice(0, 5).join(', ')}`);
    await sleep(systemClock, 1000);
  }
}

const memoryOf = ({ pid }: OperatorProcess): string => {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return `the operator has had ${Math.round(Number(kilobytes) / 1024)} MB`;
};
