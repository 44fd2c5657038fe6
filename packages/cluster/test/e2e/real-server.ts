/** A real API server on which our controllers take the place of Kubernetes' own. */
import { connect, createClient, loadConfig } from '@keelson/client';
import type { Transport } from '@keelson/core';
import { Node } from '@keelson/core/v1';
import { type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { createControllers, type SimulatedMetrics } from '../../src/index.ts';
import { nodes, onlyNode, type Server } from '../behaviour.ts';
import { eventually } from './eventually.ts';
import { resolvingServices, startMetricsServer } from './metrics-server.ts';

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
  'system:controller:endpointslicemirroring-controller',
  'system:controller:cronjob-controller',
  'system:controller:ttl-after-finished-controller',
  'system:controller:generic-garbage-collector',
  'system:controller:namespace-controller',
  'system:controller:service-account-controller',
  'system:controller:disruption-controller',
  'system:controller:resourcequota-controller',
  'system:controller:horizontal-pod-autoscaler',
  'system:kube-scheduler',
];

/** A server whose pods seem to use what is said here. */
export interface MeasuredServer extends Server {
  readonly metrics: SimulatedMetrics;
}

export async function startRealServer(): Promise<MeasuredServer> {
  const kube = await startKubernetes({ apiServerFlags: resolvingServices });
  const removed = await kube.kubectl('delete', 'clusterrolebinding', ...rights);
  if (removed.code !== 0) throw new Error(`the real controllers keep their rights: ${removed.stderr}`);
  const transport = await connectTo(kube);
  const metricsServer = await startMetricsServer(kube);
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
    metrics: metricsServer.metrics,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(stopped);
      await metricsServer[Symbol.asyncDispose]();
      await transport[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
}

export async function connectTo(kube: Kubernetes): Promise<Transport> {
  return connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
}
