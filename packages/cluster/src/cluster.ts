/**
 * A cluster in a process: the embedded API server, the controllers, and a simulated node.
 *
 * Promises: time and chance come from outside alone, and in process everything runs in microtasks, so that two clusters
 * with the same clock, randomness and requests do the same. Disposing it ends all of it, and nothing is left behind.
 */
import {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type Listening,
  type ServingOptions,
} from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import type { Clock, Random } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { Pod } from '@keelson/core/v1';
import { MetricsBoard, type SimulatedMetrics } from './autoscaler/simulated-metrics.ts';
import {
  type ControllerName,
  type ControllersOptions,
  controllerNames,
  controllersWith,
  newSimulation,
} from './controllers.ts';
import type { ClusterLogger } from './logger.ts';
import { outputOf, type SimulatedLogsOptions, simulatedLogs } from './node/container-logs.ts';
import { simulatedSessions } from './node/container-sessions.ts';
import { type NodeOptions, nodeName, type Simulation } from './node/controller.ts';
import { simulatedPorts } from './node/pod-ports.ts';
import type { NodePower } from './node/power.ts';
import type { Pods } from './pods/rules.ts';
import { remarksOn } from './remarks.ts';
import { type ClusterServices, ServedServices } from './services.ts';
import { yieldingTransport } from './yielding-transport.ts';

/** What a cluster is made of, and where its time and chance come from. All of it has defaults. */
export interface ClusterOptions extends Pick<ApiServerOptions, 'tokens'> {
  /** Which controllers. @default all */
  readonly only?: readonly ControllerName[] | undefined;
  readonly node?: NodeOptions | undefined;
  /** @default it is silent */
  readonly logger?: ClusterLogger | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/** A running cluster. Disposing it ends its controllers and its server, and forgets every object. */
export interface Cluster extends AsyncDisposable, Pick<ApiServer, 'transport' | 'transportAs' | 'compact'> {
  /** Settles when the controllers work and the node is ready. */
  readonly ready: Promise<void>;
  /** What the simulated node is told about its pods. */
  readonly pods: Pods;
  /** The simulated node as a machine that can fail. */
  readonly node: NodePower;
  /** What its pods seem to use, by which autoscalers scale. */
  readonly metrics: SimulatedMetrics;
  /** Who answers behind its Services. */
  readonly services: ClusterServices;
  /** Serves HTTPS on the loopback address, for others. */
  listen(options?: ServingOptions): Promise<Listening>;
}

const publisher = 'root-ca-certificate-publisher';

/**
 * Starts a cluster in this process: an API server, the controllers and a simulated node. It is at work when `ready`
 * settles; requests are answered from the first moment on.
 *
 * @example
 * await using cluster = createCluster();
 * await cluster.ready;
 * const client = createClient({ transport: cluster.transport });
 * const { kubeconfig } = await cluster.listen(); // for kubectl and everyone else on this machine
 */
export function createCluster(options: ClusterOptions = {}): Cluster {
  const { clock, random, tokens, logger, node, only = controllerNames } = options;
  const metrics = new MetricsBoard();
  const services = new ServedServices();
  const server = createApiServer({
    clock,
    random,
    tokens,
    logs: (request) => answering()?.logs(request) ?? { type: 'unreachable' },
    sessions: (request) => answering()?.sessions(request) ?? { type: 'unreachable' },
    ports: (request) => answering()?.ports(request) ?? { type: 'unreachable' },
    podUsage: (pod) => metrics.usageOf(pod),
    remarks: remarksOn,
    services: services.find,
    onError: (error) => logger?.warn('The API server failed at something', { error }),
  });
  const { transport } = server;
  /** By which others come in; one that is about to be opened counts, or the controllers would do all their work first. */
  const doors = new Set<object>();
  // Virtual time knows what is left to do by the microtasks alone, so that nothing there may wait for a turn.
  const isShared = () => doors.size > 0 && (clock === undefined || clock === systemClock);
  const ownTransport = yieldingTransport(transport, isShared);
  const simulation = newSimulation(node);
  const answering = () => (simulation.power.isOn ? ofNode : undefined);
  const ofNode = only.includes('node') ? answersOf(simulation, { transport, clock, random, node }) : undefined;
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const start = (which: readonly ControllerName[], more: Partial<ControllersOptions> = {}) => {
    // No controller in here watches over nodes, so the node need not say again and again that it lives.
    const shared = { transport: ownTransport, clock, random, logger, node, heartbeat: false };
    const controllers = controllersWith({ ...shared, ...more, only: which }, simulation);
    running.push(controllers.start(stop.signal));
    return controllers.synced;
  };
  let isPublishing = !only.includes(publisher);
  return {
    transport: server.transport,
    transportAs: (user) => server.transportAs(user),
    compact: () => server.compact(),
    pods: simulation.rules,
    node: simulation.power,
    metrics,
    services,
    ready: start(only.filter((name) => name !== publisher)),
    async listen(listenOptions) {
      const door = {};
      doors.add(door);
      const opened = await server.listen(listenOptions).catch((error: unknown) => {
        doors.delete(door);
        throw error;
      });
      const listening: Listening = {
        ...opened,
        async [Symbol.asyncDispose]() {
          doors.delete(door);
          await opened[Symbol.asyncDispose]();
        },
      };
      // The server's certificates are made when it first listens; before, there is nothing to publish.
      if (!isPublishing) await start([publisher], { rootCa: listening.certificateAuthority });
      isPublishing = true;
      return listening;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error('the cluster was stopped'));
      await Promise.all(running);
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What a server asks a kubelet for, answered by the simulated node. */
function answersOf(
  { rules, lives }: Simulation,
  { transport, clock, random, node }: Pick<ClusterOptions, 'clock' | 'random' | 'node'> & Pick<Cluster, 'transport'>,
) {
  const options: SimulatedLogsOptions = {
    client: createClient({ transport, clock, random }),
    node: node?.name ?? nodeName,
    run: (uid, container, which) => lives.get(uid)?.run(container, which),
    clock,
    random,
  };
  const logs = simulatedLogs(options);
  const output = (pod: Pod, container: string, signal: AbortSignal) => outputOf(options, pod, container, signal);
  const sessions = simulatedSessions({ node: options.node, handler: (type) => rules.handlerOf(type), output });
  const ports = simulatedPorts({ node: options.node, handler: () => rules.portHandler, output });
  return { logs, sessions, ports };
}
