/**
 * A metrics server for a real API server: behind its aggregator it answers `metrics.k8s.io` by what a test says of pods.
 *
 * Its service is a name for this machine, whose own address no EndpointSlice may list; so the API server must not look for
 * endpoints.
 */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { matchesLabels, parseLabelSelector, timestamp } from '@keelson/core';
import { APIService } from '@keelson/core/apiregistration/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { Pod, Service } from '@keelson/core/v1';
import { createAuthority } from '@keelson/core/x509';
import type { Kubernetes } from '@keelson/tools-kubernetes';
import { MetricsBoard, type SimulatedMetrics } from '../../src/autoscaler/simulated-metrics.ts';
import { eventually } from './eventually.ts';

/** Flags of an API server that finds this one. */
export const resolvingServices = ['--enable-aggregator-routing=false'];

const apiVersion = 'metrics.k8s.io/v1beta1';

export interface MetricsServer extends AsyncDisposable {
  readonly metrics: SimulatedMetrics;
}

/** Returns when the API server passes questions on. */
export async function startMetricsServer(kube: Kubernetes): Promise<MetricsServer> {
  const transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test' });
  const metrics = new MetricsBoard();
  const identity = createAuthority(systemRandom).issueServer('metrics-server', ['localhost']);
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://localhost');
    const send = (code: number, body: object) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const namespace = /\/namespaces\/([^/]+)\/pods$/.exec(pathname)?.[1];
    if (namespace === undefined) {
      send(200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: apiVersion, resources: [] });
      return;
    }
    podMetrics(client, metrics, namespace, searchParams.get('labelSelector') ?? '').then(
      (items) => send(200, { kind: 'PodMetricsList', apiVersion, metadata: {}, items }),
      () => send(500, {}),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await client.create(Service, {
    metadata: { namespace: 'kube-system', name: 'metrics-server' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  const name = 'v1beta1.metrics.k8s.io';
  await client.create(APIService, {
    metadata: { name },
    spec: {
      group: 'metrics.k8s.io',
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'kube-system', name: 'metrics-server', port },
    },
  });
  await eventually('the metrics API', async () => {
    const { status } = await client.get(APIService, name);
    return status?.conditions?.some((each) => each.type === 'Available' && each.status === 'True');
  });
  return {
    metrics,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await transport[Symbol.asyncDispose]();
    },
  };
}

async function podMetrics(
  client: Client,
  board: MetricsBoard,
  namespace: string,
  selector: string,
): Promise<readonly object[]> {
  const requirements = parseLabelSelector(selector);
  const now = timestamp(systemClock.now());
  return (await client.list(Pod, { namespace })).items
    .filter(({ metadata }) => matchesLabels(requirements, metadata.labels))
    .flatMap((pod) => {
      const usage = board.usageOf(pod);
      if (usage === undefined) return [];
      const containers = Object.entries(usage).map(([name, used]) => ({ name, usage: used }));
      return [{ metadata: { namespace, name: pod.metadata.name }, timestamp: now, window: '15s', containers }];
    });
}
