/**
 * The controllers of a cluster: those of kube-controller-manager that operators depend on, a scheduler, and a simulated
 * node. They talk to the API server through a transport and know nothing else of it, so that it may be a real one.
 */
import {
  createClient,
  createDiscovery,
  createEventRecorder,
  createSharedInformers,
  type EventRecorder,
} from '@keelson/client';
import type { Clock, Random, Transport } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { startAutoscaler } from './autoscaler/controller.ts';
import { startClusterRoleAggregation } from './cluster-role/controller.ts';
import type { ControllerContext, RunningController } from './context.ts';
import { startCronJobController } from './cronjob/controller.ts';
import { startDaemonSetController } from './daemonset/controller.ts';
import { startDeploymentController } from './deployment/controller.ts';
import { startDisruptionController } from './disruption/controller.ts';
import { startEndpointsController } from './endpoints/controller.ts';
import { startEndpointSliceController } from './endpointslice/controller.ts';
import { startEndpointSliceMirroring } from './endpointslice-mirroring/controller.ts';
import { startGarbageCollector } from './garbage-collector/controller.ts';
import { startJobController } from './job/controller.ts';
import { type ClusterLogger, silent } from './logger.ts';
import { startNamespaceController } from './namespace/controller.ts';
import { type NodeOptions, type Simulation, startNode } from './node/controller.ts';
import { type NodePower, Power } from './node/power.ts';
import { PodRules, type Pods } from './pods/rules.ts';
import { startReplicaSetController, startReplicationControllerController } from './replicaset/replica-kinds.ts';
import { startResourceQuotaController } from './resource-quota/controller.ts';
import { startRootCaPublisher } from './root-ca/controller.ts';
import { startScheduler } from './scheduler/controller.ts';
import { startServiceAccountController } from './service-account/controller.ts';
import { startStatefulSetController } from './statefulset/controller.ts';
import { startTtlAfterFinished } from './ttl-after-finished/controller.ts';
import { startVolumeBinder } from './volume/binder.ts';
import { startVolumeProtection } from './volume/protection.ts';
import { startProvisioner } from './volume/provisioner.ts';

/** All controllers there are; the scheduler and the simulated node count as such. */
export const controllerNames = [
  'deployment',
  'replicaset',
  'replicationcontroller',
  'statefulset',
  'daemonset',
  'endpoint',
  'endpointslice',
  'endpointslice-mirroring',
  'persistentvolume-binder',
  'volume-protection',
  'volume-provisioner',
  'job',
  'cronjob',
  'ttl-after-finished',
  'garbage-collector',
  'namespace',
  'serviceaccount',
  'root-ca-certificate-publisher',
  'clusterrole-aggregation',
  'disruption',
  'resourcequota',
  'horizontal-pod-autoscaler',
  'scheduler',
  'node',
] as const;

/** The name of a controller, as `only` takes it. */
export type ControllerName = (typeof controllerNames)[number];

/** Whether there is a controller of that name. */
export function isControllerName(name: string): name is ControllerName {
  return (controllerNames as readonly string[]).includes(name);
}

/** On which API server the controllers work, and which of them. */
export interface ControllersOptions {
  readonly transport: Transport;
  /** Which of them. @default all */
  readonly only?: readonly ControllerName[] | undefined;
  /** The certificates by which pods know the API server, in PEM; without them, none are published. */
  readonly rootCa?: string | undefined;
  readonly node?: NodeOptions | undefined;
  /** Whether the node renews its lease, for a node lifecycle controller that watches over it. @default true */
  readonly heartbeat?: boolean | undefined;
  /** @default it is silent */
  readonly logger?: ClusterLogger | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
  /** @default systemRandom */
  readonly random?: Random | undefined;
}

/** Controllers that wait to be started. */
export interface Controllers {
  /** Settles when all of them have seen what there is and work. */
  readonly synced: Promise<void>;
  /** What the simulated node is told about its pods. */
  readonly pods: Pods;
  /** The simulated node as a machine that can fail. */
  readonly node: NodePower;
  /** Works until the signal is aborted; resolves when the last piece of work has ended. Never rejects. To be called once. */
  start(signal: AbortSignal): Promise<void>;
}

/** The names under which the server records who wrote what. */
const fieldManagers: Readonly<Partial<Record<ControllerName, string>>> = {
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  scheduler: 'kube-scheduler',
  node: 'kubelet',
};

/**
 * Controllers for an API server that has none of its own: the embedded one, or a real one without a controller manager.
 * Throws a RangeError for a name that there is not.
 *
 * @example
 * const controllers = createControllers({ transport: connect(await loadConfig()), only: ['deployment', 'replicaset'] });
 * await controllers.start(signal);
 */
export function createControllers(options: ControllersOptions): Controllers {
  return controllersWith(options, newSimulation(options.node));
}

/** What is told to pods, and how they live, before there is a node. */
export function newSimulation({ pods, images }: NodeOptions = {}): Simulation {
  return { rules: new PodRules({ rules: pods, images }), lives: new Map(), power: new Power() };
}

/** The same, with a simulation that others can look at. */
export function controllersWith(options: ControllersOptions, simulation: Simulation): Controllers {
  const { only = controllerNames } = options;
  const unknown = only.filter((name) => !isControllerName(name));
  if (unknown.length > 0) {
    throw new RangeError(`only: there is no ${unknown.join(', ')}; there are: ${controllerNames.join(', ')}`);
  }
  let settle: (synced: Promise<void>) => void;
  const synced = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let isStarted = false;
  return {
    synced,
    pods: simulation.rules,
    node: simulation.power,
    async start(signal) {
      if (isStarted) throw new TypeError('these controllers were started before');
      isStarted = true;
      await run({ ...options, simulation }, only, signal, (all) =>
        settle(Promise.all(all.map((each) => each.synced)).then(() => {})),
      );
    },
  };
}

type RunOptions = ControllersOptions & { readonly simulation: Simulation };

async function run(
  options: RunOptions,
  only: readonly ControllerName[],
  signal: AbortSignal,
  onStarted: (all: readonly RunningController[]) => void,
): Promise<void> {
  const { transport, clock = systemClock, random = systemRandom, logger = silent } = options;
  const clientOf = (fieldManager: string) =>
    createClient({ transport, clock, random, signal, fieldManager, headers: () => ({ 'user-agent': fieldManager }) });
  const reader = clientOf('kube-controller-manager');
  await using informers = createSharedInformers({
    client: reader,
    clock,
    random,
    onError: (error, { kind }) => {
      if (!signal.aborted) logger.debug('A watch failed and is tried again', { kind: kind.kind, error });
    },
  });
  const discovery = createDiscovery(reader);
  const recorders: EventRecorder[] = [];
  const contextOf = (name: ControllerName): ControllerContext => {
    const client = clientOf(fieldManagers[name] ?? 'kube-controller-manager').with({
      onWritten: (write) => informers.overlay(write),
    });
    const recorder = (controller: string) => {
      const onError = (error: Error) => logger.debug('An event was not recorded', { error });
      const made = createEventRecorder({ client, controller, clock, random, onError });
      recorders.push(made);
      return made;
    };
    return { client, informers, discovery, recorder, clock, random, logger, signal };
  };
  const all = only.flatMap((name) => start(name, contextOf(name), options) ?? []);
  onStarted(all);
  await Promise.all(all.map(({ stopped }) => stopped));
  await Promise.all(recorders.map((each) => each[Symbol.asyncDispose]()));
}

function start(name: ControllerName, context: ControllerContext, options: RunOptions): RunningController | undefined {
  switch (name) {
    case 'deployment':
      return startDeploymentController(context);
    case 'replicaset':
      return startReplicaSetController(context);
    case 'replicationcontroller':
      return startReplicationControllerController(context);
    case 'daemonset':
      return startDaemonSetController(context);
    case 'statefulset':
      return startStatefulSetController(context);
    case 'endpoint':
      return startEndpointsController(context);
    case 'endpointslice':
      return startEndpointSliceController(context);
    case 'endpointslice-mirroring':
      return startEndpointSliceMirroring(context);
    case 'persistentvolume-binder':
      return startVolumeBinder(context);
    case 'volume-protection':
      return startVolumeProtection(context);
    case 'volume-provisioner':
      return startProvisioner(context);
    case 'job':
      return startJobController(context);
    case 'cronjob':
      return startCronJobController(context);
    case 'ttl-after-finished':
      return startTtlAfterFinished(context);
    case 'garbage-collector':
      return startGarbageCollector(context);
    case 'namespace':
      return startNamespaceController(context);
    case 'serviceaccount':
      return startServiceAccountController(context);
    case 'root-ca-certificate-publisher':
      return options.rootCa === undefined ? undefined : startRootCaPublisher(context, options.rootCa);
    case 'clusterrole-aggregation':
      return startClusterRoleAggregation(context);
    case 'disruption':
      return startDisruptionController(context);
    case 'resourcequota':
      return startResourceQuotaController(context);
    case 'horizontal-pod-autoscaler':
      return startAutoscaler(context);
    case 'scheduler':
      return startScheduler(context, options.simulation.rules);
    case 'node':
      return startNode(context, { ...options.node, heartbeat: options.heartbeat ?? true }, options.simulation);
    default:
      return name satisfies never;
  }
}
