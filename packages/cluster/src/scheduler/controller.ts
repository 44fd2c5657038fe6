/** The scheduler: binds pods that have no node to one that they fit, and says so when there is none. */
import { createWorkQueue, type EventRecorder, type InformerHandle, type StoreReader } from '@keelson/client';
import { isNotFound, keyOf, type NamespacedName, timestamp } from '@keelson/core';
import { StorageClass } from '@keelson/core/storage/v1';
import { Binding, Node, PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import type { PodRules } from '../pods/rules.ts';
import { claimIndex } from '../volume/protection.ts';
import { chooseNode, unschedulableMessage } from './fit.ts';
import { volumeWait } from './volumes.ts';

const schedulerName = 'default-scheduler';
const selectedNode = 'volume.kubernetes.io/selected-node';

/** A Binding is posted to its pod. */
const PodBinding = { ...Binding, resource: Pod.resource };

export function startScheduler(context: ControllerContext, rules: PodRules): RunningController {
  const scheduler = new Scheduler(context, rules);
  return startLoop(context, {
    name: 'scheduler',
    queue: scheduler.queue,
    informers: scheduler.informers,
    sync: (key) => scheduler.sync(key),
    workers: 1, // each choice counts for the next
  });
}

const isWaiting = ({ metadata, spec, status }: Pod): boolean =>
  !spec.nodeName &&
  (spec.schedulerName ?? schedulerName) === schedulerName &&
  metadata.deletionTimestamp === undefined &&
  (spec.schedulingGates ?? []).length === 0 &&
  status.phase !== 'Succeeded' &&
  status.phase !== 'Failed';

/** Shared with the simulated node, which looks for its own pods. */
export const nodeIndex = { node: ({ spec }: Pod): readonly string[] => [spec.nodeName ?? ''] };

export function podsOn(store: StoreReader<Pod>, node: string): readonly Pod[] {
  return store.byIndex('node', node);
}

function podsWith(store: StoreReader<Pod>, claim: NamespacedName): readonly Pod[] {
  return store.byIndex('claim', claim);
}

class Scheduler {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #rules: PodRules;
  readonly #recorder: EventRecorder;
  readonly #pods: InformerHandle<Pod>;
  readonly #nodes: InformerHandle<Node>;
  readonly #claims: InformerHandle<PersistentVolumeClaim>;
  readonly #classes: InformerHandle<StorageClass>;
  /** Pods that are bound although the watch does not show it yet, and to which node. By uid. */
  readonly #assumed = new Map<string, string>();

  constructor(context: ControllerContext, rules: PodRules) {
    const { informers, clock, signal } = context;
    this.#context = context;
    this.#rules = rules;
    this.queue = createWorkQueue({ clock });
    this.#recorder = context.recorder(schedulerName);
    this.#pods = informers.informer(Pod, { indexes: { ...nodeIndex, ...claimIndex } });
    this.#nodes = informers.informer(Node);
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#classes = informers.informer(StorageClass);
    this.#pods.subscribe(
      ({ type, object }) => {
        if (type === 'deleted' || object.spec.nodeName) this.#assumed.delete(object.metadata.uid);
        else if (isWaiting(object)) this.queue.add(keyOf(object));
      },
      { signal },
    );
    this.#nodes.subscribe(() => this.#retryAll(), { signal });
    this.#claims.subscribe(({ object }) => this.#retry(podsWith(this.#pods.store, keyOf(object))), { signal });
    rules.onChange(() => this.#retryAll(), signal);
  }

  get informers() {
    return [this.#pods, this.#nodes, this.#claims, this.#classes];
  }

  /** A node that came or changed may be the one that pods wait for, or they were told something else. */
  #retryAll(): void {
    this.#retry(podsOn(this.#pods.store, ''));
  }

  #retry(pods: readonly Pod[]): void {
    for (const pod of pods.filter(isWaiting)) this.queue.add(keyOf(pod));
  }

  async sync(key: NamespacedName): Promise<void> {
    const pod = this.#pods.store.get(key);
    if (!pod || !isWaiting(pod) || this.#assumed.has(pod.metadata.uid)) return;
    const nodes = this.#nodes.store.list();
    const volumes = volumeWait(pod, {
      claim: (name) => this.#claims.store.get(name),
      isDelayed: (name) => this.#classes.store.get(name)?.volumeBindingMode === 'WaitForFirstConsumer',
    });
    if (volumes.type === 'refused' && nodes.length > 0) {
      return this.#refuse(pod, `0/${nodes.length} nodes are available: ${volumes.reason}.`);
    }
    const lacking = this.#rules.unschedulable(pod);
    const choice =
      lacking === undefined
        ? chooseNode(pod, nodes, (name) => this.#load(name))
        : { misfits: nodes.map(() => lacking) };
    if ('node' in choice && volumes.type === 'undecided') await this.#selectNode(volumes.claims, choice.node);
    else if ('node' in choice) await this.#bind(pod, choice.node);
    else await this.#refuse(pod, unschedulableMessage(nodes.length, choice.misfits));
  }

  /** Their provisioner waits for it; the pod is bound when they are. */
  async #selectNode(claims: readonly PersistentVolumeClaim[], node: string): Promise<void> {
    for (const { metadata } of claims) {
      if (metadata.annotations?.[selectedNode] !== undefined) continue;
      const patch = { metadata: { uid: metadata.uid, annotations: { [selectedNode]: node } } };
      await this.#context.client.patch(PersistentVolumeClaim, `${metadata.namespace}/${metadata.name}`, patch);
    }
  }

  #load(node: string): number {
    const assumed = [...this.#assumed.values()].filter((each) => each === node);
    return podsOn(this.#pods.store, node).length + assumed.length;
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { client } = this.#context;
    const { namespace, name, uid } = pod.metadata;
    const target = { apiVersion: 'v1', kind: Node.kind, name: node };
    this.#assumed.set(uid, node);
    try {
      await client.createSubresource(PodBinding, 'binding', { metadata: { namespace, name, uid }, target });
    } catch (error) {
      this.#assumed.delete(uid);
      if (isNotFound(error)) return;
      throw error; // a conflict: it has a node by now, or is another pod, and the watch will say so
    }
    this.#recorder.event(pod, {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      message: `Successfully assigned ${namespace}/${name} to ${node}`,
    });
  }

  async #refuse(pod: Pod, message: string): Promise<void> {
    const { client, clock } = this.#context;
    const { uid, generation } = pod.metadata;
    const current = pod.status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (current?.status === 'False' && current.message === message) return;
    this.#recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', message });
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime: current?.status === 'False' ? current.lastTransitionTime : timestamp(clock.now()),
      observedGeneration: generation,
    };
    try {
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await client.patch(Pod, keyOf(pod), patch, { type: 'strategic', subresource: 'status' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
