/**
 * The limit for operators: each Deployment is made, and once it is ready its Cache is told so. Two writes, and no engine.
 *
 * Nothing is enforced, pods are not looked at, no status comes before the last, and whatever fails ends the process: no
 * operator can do with less, and none should do with so little.
 */
import { env } from 'node:process';
import { parseArgs } from 'node:util';
import { connect, createClient, createInformer, createWorkQueue, loadConfig } from '@keelson/client';
import { keyOf, type NamespacedName, timestamp, withController } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { systemClock } from '@keelson/core/system';
import { Cache } from './api.ts';
import { desiredDeployment } from './desired.ts';

// It is given the flags of an operator on the engine, and has no use for the others.
const text = { type: 'string' } as const;
const options = { kubeconfig: text, namespace: text, 'metrics-port': text, 'health-port': text };
const { kubeconfig, namespace } = parseArgs({ options }).values;
const transport = connect(await loadConfig({ kubeconfig }));
const client = createClient({ transport, fieldManager: 'bench-limit' });

const queue = createWorkQueue<NamespacedName>();
const unmade = new Map<NamespacedName, Cache>();
const told = new Set<NamespacedName>();
const deployments = createInformer(client, Deployment, {
  namespace,
  // An informer would get over it, but the sample is spoiled.
  onError: (error) =>
    queueMicrotask(() => {
      throw error;
    }),
});
deployments.subscribe(({ object }) => {
  const key = keyOf(object);
  if (object.status?.readyReplicas !== object.spec.replicas || told.has(key)) return;
  told.add(key);
  queue.add(key);
});

async function makeOrTell(key: NamespacedName): Promise<void> {
  const cache = unmade.get(key);
  unmade.delete(key);
  if (cache !== undefined) {
    const { metadata, ...desired } = desiredDeployment(cache);
    const deployment = { ...desired, metadata: { ...metadata, namespace: cache.metadata.namespace } };
    await client.create(Deployment, withController(deployment, Cache, cache));
    return;
  }
  const lastTransitionTime = timestamp(systemClock.now());
  const ready = {
    type: 'Available',
    status: 'True',
    reason: 'AllServersReady',
    message: 'All servers are ready.',
  } as const;
  const status = { nodes: [], conditions: [{ ...ready, lastTransitionTime }] };
  await client.patch(Cache, key, { status }, { subresource: 'status' });
}

const { items } = await client.list(Cache, { namespace });
for (const cache of items) {
  unmade.set(keyOf(cache), cache);
  queue.add(keyOf(cache));
}
const workers = Array.from({ length: Number(env.WORKERS ?? 1) }, async () => {
  for (let item = await queue.get(); item !== undefined; item = await queue.get()) {
    await makeOrTell(item.key);
    queue.done(item.key);
  }
});
await Promise.all([deployments.start(new AbortController().signal), ...workers]);
