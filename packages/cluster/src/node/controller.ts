/**
 * The simulated node: a Node without a machine. Pods that are bound to it run, become ready, end and stop, in the eyes of
 * everyone who asks the API server; no container exists.
 *
 * Promises: a deleted pod keeps its grace period: it is gone when its containers have stopped, and at the latest when the
 * period is over. A Node of the same name that a real kubelet reports on is left alone.
 */
import { createWorkQueue, type EventRecorder, type InformerHandle } from '@keelson/client';
import {
  equalJson,
  isAlreadyExists,
  isNotFound,
  keyOf,
  microTimestamp,
  type NamespacedName,
  timestamp,
} from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { Node, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { annotated, type PodRule } from '../pods/behaviour.ts';
import type { PodRules } from '../pods/rules.ts';
import { nodeIndex, podsOn } from '../scheduler/controller.ts';
import type { Moment } from './container-life.ts';
import { isOurs, newNode, nodeAddress, nodeStatus, tainted, unreachable, withoutNotReady } from './node-object.ts';
import { nextAddress } from './pod-address.ts';
import { type PodHost, PodLife } from './pod-life.ts';
import type { Power } from './power.ts';
import { type Pace, scriptOf } from './script.ts';

/** How the simulated node is called, and how long its containers take. */
export interface NodeOptions {
  /** @default 'simulated-node' */
  readonly name?: string | undefined;
  /** How long containers run before they are ready; a readiness probe that begins later counts instead. @default 1000 */
  readonly readyAfterMs?: number | undefined;
  /** How long containers take to stop when they are asked to; the pod's grace period may be shorter. @default 1000 */
  readonly stopAfterMs?: number | undefined;
  /** What pods do; more can be said while they run. @default all goes well */
  readonly pods?: readonly PodRule[] | undefined;
  /** The images that can be pulled, with `*` for any characters; no other can. @default every image can */
  readonly images?: readonly string[] | undefined;
}

export interface NodeSettings extends NodeOptions {
  /** Whether the node says every few seconds that it lives. Only a node lifecycle controller cares. */
  readonly heartbeat: boolean;
}

/** How the node is called unless it is told otherwise. */
export const nodeName = 'simulated-node';

/** The kubelet's times: its lease is good for 40 s and renewed four times as often; its status every five minutes. */
const leaseSeconds = 40;
const renewMs = 10_000;
const statusMs = 300_000;
const leaseNamespace = 'kube-node-lease';
/** How long the node lifecycle controller waits for a node of which it hears nothing. */
const graceMs = 50_000;

const heartbeatKey = 'heartbeat';

const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** What the node shares with others: what its pods were told, and how they live. */
export interface Simulation {
  readonly rules: PodRules;
  /** By uid. */
  readonly lives: Map<string, PodLife>;
  readonly power: Power;
}

export function startNode(
  context: ControllerContext,
  settings: NodeSettings,
  simulation: Simulation,
): RunningController {
  const node = new SimulatedNode(context, settings, simulation);
  const { synced, stopped } = startLoop(context, {
    name: 'node',
    queue: node.queue,
    informers: [node.pods],
    sync: (key) => node.sync(key),
    workers: 10,
  });
  return { synced: Promise.all([synced, node.registered]).then(() => {}), stopped };
}

class SimulatedNode {
  readonly queue;
  readonly pods: InformerHandle<Pod>;
  /** Settles when the server has the Node, and shows it ready. */
  readonly registered: Promise<void>;
  readonly #context: ControllerContext;
  readonly #settings: Pace & { readonly name: string; readonly heartbeat: boolean };
  readonly #recorder: EventRecorder;
  readonly #host: PodHost;
  readonly #simulation: Simulation;
  /** Of the pods on the node. */
  readonly #addresses = new Set<string>();
  #lastAddress: string | undefined;
  #statusAt = Number.NEGATIVE_INFINITY;
  #crashedAt: number | undefined;
  #settleRegistered: (() => void) | undefined;

  constructor(context: ControllerContext, settings: NodeSettings, simulation: Simulation) {
    const { name = nodeName, readyAfterMs = 1000, stopAfterMs = 1000, heartbeat } = settings;
    this.#context = context;
    this.#simulation = simulation;
    this.#settings = { name, readyAfterMs, stopAfterMs, heartbeat };
    this.queue = createWorkQueue({ clock: context.clock });
    this.#recorder = context.recorder('kubelet');
    this.#host = {
      script: (pod, container, role) =>
        scriptOf(pod, container, role, this.#settings, simulation.rules.behaviourOf(pod, container, role === 'main')),
      newAddress: (pod) => this.#addressOf(pod),
      newId: () => `simulated://${context.random.uuid()}${context.random.uuid()}`.replaceAll('-', ''),
      tell: (pod, event) => this.#recorder.event(pod, event),
    };
    this.pods = context.informers.informer(Pod, { indexes: nodeIndex });
    this.pods.subscribe(
      ({ type, object }) => {
        if (type === 'deleted') simulation.lives.delete(object.metadata.uid);
        if (object.spec.nodeName !== name) return;
        const { podIP } = object.status;
        if (type === 'deleted') this.#addresses.delete(podIP ?? '');
        else {
          if (podIP && podIP !== nodeAddress) this.#addresses.add(podIP);
          this.queue.add(keyOf(object));
        }
      },
      { signal: context.signal },
    );
    const reconsider = () => {
      for (const pod of podsOn(this.pods.store, name)) this.queue.add(keyOf(pod));
    };
    simulation.rules.onChange(reconsider, context.signal);
    simulation.power.onChange(() => {
      this.#crashedAt = simulation.power.isOn ? undefined : context.clock.monotonic();
      this.#statusAt = Number.NEGATIVE_INFINITY;
      this.queue.add(heartbeatKey);
      reconsider();
    }, context.signal);
    this.registered = new Promise((resolve) => {
      this.#settleRegistered = resolve;
    });
    this.queue.add(heartbeatKey, { priority: 1 });
  }

  /** The name of a pod's key has a namespace, so no pod is called like the heartbeat. */
  async sync(key: NamespacedName): Promise<void> {
    if (key === heartbeatKey) return this.#beat();
    const pod = this.pods.store.get(key);
    if (!pod || pod.spec.nodeName !== this.#settings.name || !this.#simulation.power.isOn) return;
    if (pod.metadata.deletionTimestamp !== undefined) await this.#stop(pod, pod.metadata.deletionTimestamp);
    else if (!isOver(pod)) await this.#run(pod);
  }

  async #beat(): Promise<void> {
    const { clock } = this.#context;
    const now = clock.monotonic();
    if (this.#crashedAt !== undefined) return this.#missed(this.#crashedAt + graceMs - now);
    const node = now - this.#statusAt >= statusMs ? await this.#register() : undefined;
    if (node) this.#statusAt = now;
    this.#settleRegistered?.();
    await this.#renewLease(node);
    if (this.#settings.heartbeat) this.queue.addAfter(heartbeatKey, renewMs);
  }

  /** What the node lifecycle controller does in the end with a node that is silent; there is none in here. */
  async #missed(leftMs: number): Promise<void> {
    if (leftMs > 0) return this.queue.addAfter(heartbeatKey, leftMs);
    const { client, clock } = this.#context;
    const node = await client.get(Node, this.#settings.name);
    const silent = await client.update(Node, unreachable(node, clock.now()), { subresource: 'status' });
    await client.update(Node, tainted(silent, clock.now()));
    for (const pod of podsOn(this.pods.store, this.#settings.name)) await this.#markNotReady(pod);
  }

  async #markNotReady(pod: Pod): Promise<void> {
    const isReady = pod.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (!isReady) return;
    const { client, clock } = this.#context;
    const lastTransitionTime = timestamp(clock.now());
    const conditions = pod.status.conditions?.map((each) =>
      each.type === 'Ready' ? { ...each, status: 'False', lastTransitionTime } : each,
    );
    await client.update(Pod, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' });
    this.#recorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }

  async #register(): Promise<Node> {
    const { client, clock } = this.#context;
    const { name } = this.#settings;
    const node = (await client.find(Node, name)) ?? (await client.create(Node, newNode(name)));
    if (!isOurs(node)) throw new Error(`the Node ${name} exists and is not a simulated one; give ours another name`);
    const status = { ...node.status, ...nodeStatus(name, node.status.conditions ?? [], clock.now()) };
    const ready = await client.update(Node, { ...node, status }, { subresource: 'status' });
    const untainted = withoutNotReady(ready);
    return untainted ? client.update(Node, untainted) : ready;
  }

  /** Kubernetes has a namespace for these leases; a server without it, or without leases, is served all the same. */
  async #renewLease(node: Node | undefined): Promise<void> {
    const { client, clock } = this.#context;
    const { name } = this.#settings;
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: microTimestamp(clock.now()),
    };
    try {
      await client.patch(Lease, `${leaseNamespace}/${name}`, { spec });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (error.status.details?.name === undefined) return; // the server has no leases
      const { uid } = (node ?? (await client.get(Node, name))).metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: Node.kind, name, uid }];
      await client
        .create(Lease, { metadata: { namespace: leaseNamespace, name, ownerReferences }, spec })
        .catch((failure: unknown) => {
          if (!isNotFound(failure) && !isAlreadyExists(failure)) throw failure;
        });
    }
  }

  async #run(pod: Pod): Promise<void> {
    const life = this.#lifeOf(pod);
    const created = pod.status.startTime ? pod : await this.#report(pod, life);
    const leftMs = life.advance(created, this.#now());
    await this.#report(created, life);
    if (leftMs !== undefined) this.queue.addAfter(keyOf(pod), leftMs);
  }

  #lifeOf(pod: Pod): PodLife {
    const { lives } = this.#simulation;
    const known = lives.get(pod.metadata.uid);
    if (known) return known;
    try {
      annotated(pod.metadata.annotations);
    } catch (error) {
      const message = `What the pod was told is ignored: ${error instanceof Error ? error.message : String(error)}`;
      this.#recorder.event(pod, { type: 'Warning', reason: 'InvalidBehaviour', message });
    }
    const life = new PodLife(pod, this.#host, this.#now());
    lives.set(pod.metadata.uid, life);
    return life;
  }

  #now(): Moment {
    const { clock } = this.#context;
    return { wallMs: clock.now(), monotonicMs: clock.monotonic() };
  }

  #addressOf({ spec }: Pod): string {
    if (spec.hostNetwork) return nodeAddress;
    this.#lastAddress = nextAddress(this.#lastAddress ?? [...this.#addresses].at(-1), this.#addresses);
    return this.#lastAddress;
  }

  async #stop(pod: Pod, deletionTimestamp: string): Promise<void> {
    const { deletionGracePeriodSeconds = 0 } = pod.metadata;
    const life = this.#lifeOf(pod);
    const now = this.#now();
    life.stop(pod, Math.max(0, Date.parse(deletionTimestamp) - now.wallMs), now);
    const leftMs = life.advance(pod, now);
    if (life.isRunning) return this.queue.addAfter(keyOf(pod), leftMs ?? 0);
    if (life.hasStarted && !isOver(pod)) await this.#report(pod, life);
    // Without a grace period the server removes it by itself, or finalizers keep what is left of it.
    if (deletionGracePeriodSeconds > 0) await this.#remove(pod);
  }

  async #remove(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    try {
      await this.#context.client.delete(Pod, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Writes the status, if it says something new, and returns the pod as it is then. */
  async #report(pod: Pod, life: PodLife): Promise<Pod> {
    const status = { ...pod.status, ...life.report(pod, this.#now()) };
    if (equalJson(status, pod.status)) return pod;
    return await this.#context.client.update(Pod, { ...pod, status }, { subresource: 'status' });
  }
}
