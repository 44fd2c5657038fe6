/**
 * The simulated node: a Node without a machine. Pods that are bound to it run, become ready and stop, in the eyes of
 * everyone who asks the API server; no container exists.
 *
 * Promises: a deleted pod keeps its grace period: it is gone when its containers have stopped, and at the latest when the
 * period is over. A Node of the same name that a real kubelet reports on is left alone.
 */
import { createWorkQueue, type EventRecorder, type InformerHandle } from '@keelson/client';
import { equalJson, isAlreadyExists, isNotFound, keyOf, microTimestamp, type NamespacedName } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { Node, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { nodeIndex, podsOn } from '../scheduler/controller.ts';
import { isOurs, newNode, nodeAddress, nodeStatus, withoutNotReady } from './node-object.ts';
import { nextAddress } from './pod-address.ts';
import { creating, type PodReport, running, terminated } from './pod-status.ts';

/** How the simulated node is called, and how long its containers take. */
export interface NodeOptions {
  /** @default 'simulated-node' */
  readonly name?: string | undefined;
  /** How long containers run before they are ready; a readiness probe that begins later counts instead. @default 1000 */
  readonly readyAfterMs?: number | undefined;
  /** How long containers take to stop when they are asked to; the pod's grace period may be shorter. @default 1000 */
  readonly stopAfterMs?: number | undefined;
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

const heartbeatKey = 'heartbeat';

export function startNode(context: ControllerContext, settings: NodeSettings): RunningController {
  const node = new SimulatedNode(context, settings);
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
  readonly #settings: Required<{ [Field in keyof NodeSettings]: NonNullable<NodeSettings[Field]> }>;
  readonly #recorder: EventRecorder;
  /** When a pod's containers started, or were asked to stop, by uid and monotonic. */
  readonly #startedAt = new Map<string, number>();
  readonly #stoppingAt = new Map<string, number>();
  #lastAddress: string | undefined;
  #statusAt = Number.NEGATIVE_INFINITY;
  #settleRegistered: (() => void) | undefined;

  constructor(context: ControllerContext, settings: NodeSettings) {
    const { name = nodeName, readyAfterMs = 1000, stopAfterMs = 1000, heartbeat } = settings;
    this.#context = context;
    this.#settings = { name, readyAfterMs, stopAfterMs, heartbeat };
    this.queue = createWorkQueue({ clock: context.clock });
    this.#recorder = context.recorder('kubelet');
    this.pods = context.informers.informer(Pod, { indexes: nodeIndex });
    this.pods.subscribe(
      ({ type, object }) => {
        if (type === 'deleted') this.#forget(object.metadata.uid);
        else if (object.spec.nodeName === name) this.queue.add(keyOf(object));
      },
      { signal: context.signal },
    );
    this.registered = new Promise((resolve) => {
      this.#settleRegistered = resolve;
    });
    this.queue.add(heartbeatKey, { priority: 1 });
  }

  /** The name of a pod's key has a namespace, so no pod is called like the heartbeat. */
  async sync(key: NamespacedName): Promise<void> {
    if (key === heartbeatKey) return this.#beat();
    const pod = this.pods.store.get(key);
    if (!pod || pod.spec.nodeName !== this.#settings.name) return;
    if (pod.metadata.deletionTimestamp !== undefined) await this.#stop(pod, pod.metadata.deletionTimestamp);
    else if (pod.status.phase !== 'Succeeded' && pod.status.phase !== 'Failed') await this.#run(pod);
  }

  async #beat(): Promise<void> {
    const { clock } = this.#context;
    const now = clock.monotonic();
    const node = now - this.#statusAt >= statusMs ? await this.#register() : undefined;
    if (node) this.#statusAt = now;
    this.#settleRegistered?.();
    await this.#renewLease(node);
    if (this.#settings.heartbeat) this.queue.addAfter(heartbeatKey, renewMs);
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
    const { clock } = this.#context;
    const created = pod.status.startTime ? pod : await this.#report(pod, creating(pod, clock.now()));
    const started = created.status.phase === 'Running' ? created : await this.#start(created);
    await this.#makeReady(started);
  }

  async #start(pod: Pod): Promise<Pod> {
    const isReady = this.#readyAfterMs(pod) === 0;
    this.#startedAt.set(pod.metadata.uid, this.#context.clock.monotonic());
    const started = await this.#report(pod, this.#running(pod, isReady));
    for (const { image = '' } of pod.spec.containers) {
      const present = `Container image "${image}" already present on machine and can be accessed by the pod`;
      this.#recordEvent(pod, 'Pulled', present);
      this.#recordEvent(pod, 'Created', 'Container created');
      this.#recordEvent(pod, 'Started', 'Container started');
    }
    return started;
  }

  async #makeReady(pod: Pod): Promise<void> {
    const { clock } = this.#context;
    const startedAt = this.#startedAt.get(pod.metadata.uid) ?? Number.NEGATIVE_INFINITY;
    const waitMs = startedAt + this.#readyAfterMs(pod) - clock.monotonic();
    if (waitMs > 0) {
      this.queue.addAfter(keyOf(pod), waitMs);
      return;
    }
    const report = this.#running(pod, true);
    const isSaid = equalJson({ ...pod.status, ...report }, pod.status);
    if (!isSaid) await this.#report(pod, report);
  }

  #running(pod: Pod, isReady: boolean): PodReport {
    const { clock, random } = this.#context;
    const newId = () => `simulated://${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    return running(pod, { podIP: this.#addressOf(pod), isReady, newId }, clock.now());
  }

  #addressOf({ spec, status }: Pod): string {
    if (status.podIP) return status.podIP;
    if (spec.hostNetwork) return nodeAddress;
    const used = podsOn(this.pods.store, this.#settings.name).map(({ status: { podIP } }) => podIP ?? '');
    this.#lastAddress = nextAddress(this.#lastAddress ?? used.filter((ip) => ip !== nodeAddress).at(-1), new Set(used));
    return this.#lastAddress;
  }

  #readyAfterMs({ spec }: Pod): number {
    const probes = spec.containers.map(({ readinessProbe }) => (readinessProbe?.initialDelaySeconds ?? 0) * 1000);
    return Math.max(this.#settings.readyAfterMs, ...probes);
  }

  async #stop(pod: Pod, deletionTimestamp: string): Promise<void> {
    const { clock } = this.#context;
    const { uid, deletionGracePeriodSeconds = 0 } = pod.metadata;
    const hasStarted = pod.status.phase === 'Running';
    if (!this.#stoppingAt.has(uid)) {
      this.#stoppingAt.set(uid, clock.monotonic());
      if (hasStarted)
        for (const { name } of pod.spec.containers) this.#recordEvent(pod, 'Killing', `Stopping container ${name}`);
    }
    const graceLeftMs = Date.parse(deletionTimestamp) - clock.now();
    const stopLeftMs = (this.#stoppingAt.get(uid) ?? 0) + this.#settings.stopAfterMs - clock.monotonic();
    const waitMs = hasStarted ? Math.min(graceLeftMs, stopLeftMs) : 0;
    if (waitMs > 0) {
      this.queue.addAfter(keyOf(pod), waitMs);
      return;
    }
    if (hasStarted) await this.#report(pod, terminated(pod, stopLeftMs > 0 ? 137 : 0, clock.now()));
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

  /** Writes the status, and returns the pod as it is then. */
  async #report(pod: Pod, report: PodReport): Promise<Pod> {
    const status = { ...pod.status, ...report };
    return await this.#context.client.update(Pod, { ...pod, status }, { subresource: 'status' });
  }

  #recordEvent(pod: Pod, reason: string, message: string): void {
    this.#recorder.event(pod, { type: 'Normal', reason, message });
  }

  #forget(uid: string): void {
    this.#startedAt.delete(uid);
    this.#stoppingAt.delete(uid);
  }
}
