/** A real API server on which our controllers take the place of Kubernetes' own. */
import { connect, createClient, loadConfig } from '@keelson/client';
import { sleep, type Transport } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Node } from '@keelson/core/v1';
import { type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { createControllers } from '../../src/index.ts';
import { nodes, onlyNode, type Server } from '../behaviour.ts';

/** The rights of the controllers that ours replace. Without them they can do nothing, and the rest works on. */
const rights = [
  'system:controller:deployment-controller',
  'system:controller:replicaset-controller',
  'system:controller:statefulset-controller',
  'system:controller:persistent-volume-binder',
  'system:controller:pvc-protection-controller',
  'system:controller:pv-protection-controller',
  'system:controller:job-controller',
  'system:controller:replication-controller',
  'system:controller:daemon-set-controller',
  'system:controller:endpoint-controller',
  'system:controller:endpointslice-controller',
  'system:controller:cronjob-controller',
  'system:controller:ttl-after-finished-controller',
  'system:controller:generic-garbage-collector',
  'system:controller:namespace-controller',
  'system:controller:service-account-controller',
  'system:controller:disruption-controller',
  'system:kube-scheduler',
];

export async function startRealServer(): Promise<Server> {
  const kube = await startKubernetes();
  const removed = await kube.kubectl('delete', 'clusterrolebinding', ...rights);
  if (removed.code !== 0) throw new Error(`the real controllers keep their rights: ${removed.stderr}`);
  const transport = await connectTo(kube);
  const stop = new AbortController();
  const controllers = [
    createControllers({ transport, node: nodes.usual }),
    createControllers({ transport, only: onlyNode, node: nodes.stubborn }),
  ];
  const stopped = controllers.map((each) => each.start(stop.signal));
  await Promise.all(controllers.map(({ synced }) => synced));
  const client = createClient({ transport, fieldManager: 'test' });
  await client.patch(Node, nodes.stubborn.name, { spec: { unschedulable: true } });
  return {
    client,
    eventually,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(stopped);
      await transport[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}

export async function connectTo(kube: Kubernetes): Promise<Transport> {
  return connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
}

export async function eventually<T>(what: string, check: () => Promise<T | undefined | false>): Promise<T> {
  const deadline = systemClock.monotonic() + 45_000;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (systemClock.monotonic() > deadline) throw new Error(`waited in vain for ${what}`);
    await sleep(systemClock, 50);
  }
}
