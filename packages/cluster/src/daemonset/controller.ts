/**
 * The DaemonSet controller: a pod on every node that it selects, and step by step a newer one.
 *
 * Templates are remembered as ControllerRevisions. A pass that has made or deleted something leaves the update to the next.
 */
import { createWorkQueue, type EventRecorder, type InformerEvent, type InformerHandle } from '@keelson/client';
import { controllerOf, equalJson, keyOf, matchesLabels, type NamespacedName, type Requirement } from '@keelson/core';
import { ControllerRevision, DaemonSet } from '@keelson/core/apps/v1';
import { Node, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { templateHash } from '../deployment/template-hash.ts';
import { forgetOld, type Naming, rememberTemplate, revisionsOf } from '../history/controller-revisions.ts';
import { selectorOf } from '../ownership/claim.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, controllerIndex, orphansIn } from '../ownership/controller-index.ts';
import { allOf, inBatches, type PodControl, podControl } from '../pod-control.ts';
import { nextAvailabilityMs } from '../replicaset/pods.ts';
import { hashLabel, hashOf, newPod } from './eligible-nodes.ts';
import { FailedPods } from './failed-pods.ts';
import { type Plan, updateStep, upkeep, type View } from './plan.ts';
import { statusOf } from './status.ts';

/** No more than this in one pass. */
const maxBurst = 250;

const naming: Naming<DaemonSet> = {
  hashLabel,
  hash: ({ spec }, _data, collisionCount) => templateHash(spec.template, collisionCount),
};

export function startDaemonSetController(context: ControllerContext): RunningController {
  const controller = new DaemonSetController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'daemonset',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
    workers: 2,
  });
}

class DaemonSetController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #podControl: PodControl;
  readonly #sets: InformerHandle<DaemonSet>;
  readonly #pods: InformerHandle<Pod>;
  readonly #nodes: InformerHandle<Node>;
  readonly #revisions: InformerHandle<ControllerRevision>;
  readonly #failedPods = new FailedPods();

  constructor(context: ControllerContext) {
    const { informers, client, clock } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.#recorder = context.recorder('daemonset-controller');
    this.#podControl = podControl(client, this.#recorder);
    this.#sets = informers.informer(DaemonSet);
    this.#pods = informers.informer(Pod, { indexes: controllerIndex });
    this.#nodes = informers.informer(Node);
    this.#revisions = informers.informer(ControllerRevision, { indexes: controllerIndex });
  }

  get informers() {
    return [this.#sets, this.#pods, this.#nodes, this.#revisions];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#sets.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
    this.#nodes.subscribe((event) => this.#nodeChanged(event), { signal });
  }

  #podChanged(event: InformerEvent<Pod>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const pod of states) {
      const controller = controllerOf(pod);
      if (controller?.kind === DaemonSet.kind) this.queue.add(`${pod.metadata.namespace}/${controller.name}`);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const set of this.#sets.store.list({ namespace: event.object.metadata.namespace })) {
      const selector = selectorOf(set.spec.selector);
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.add(keyOf(set));
    }
  }

  /** A node reports on itself often; only what decides who may run there counts. */
  #nodeChanged(event: InformerEvent<Node>): void {
    const facts = ({ metadata, spec }: Node) => [metadata.labels, spec.taints, spec.unschedulable];
    if (event.type === 'updated' && equalJson(facts(event.previous), facts(event.object))) return;
    for (const set of this.#sets.store.list()) this.queue.add(keyOf(set));
  }

  async sync(key: NamespacedName): Promise<void> {
    const set = this.#sets.store.get(key);
    if (!set) return this.#failedPods.forget(`${key}/`);
    const selector = selectorOf(set.spec.selector);
    if (!selector) return this.#refuse(set);
    if (set.metadata.deletionTimestamp !== undefined) return;
    const { client, clock } = this.#context;
    const remembered = await revisionsOf(client, DaemonSet, set, selector, this.#revisions);
    const { revision, collisionCount } = await rememberTemplate(client, DaemonSet, set, remembered, naming);
    const hash = hashOf(revision);
    const pods = await this.#claim(set, selector);
    const nodes = this.#nodes.store.list();
    const view: View = { set, hash, nodes, pods, wallMs: clock.now() };
    const failure = await this.#manage(view, revision);
    const after = { ...view, pods: this.#owned(set, selector) };
    await this.#writeStatus(set, statusOf(after, collisionCount));
    if (failure) throw failure.error;
    await this.#forgetOld(
      after,
      remembered.filter(({ metadata }) => metadata.name !== revision.metadata.name),
    );
    const checkInMs = nextAvailabilityMs(after.pods, set.spec.minReadySeconds ?? 0, view.wallMs);
    if (checkInMs !== undefined) this.queue.addAfter(key, checkInMs);
  }

  /** A selector that selects everything would take over all pods of the namespace. */
  #refuse(set: DaemonSet): void {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
    this.#recorder.event(set, { type: 'Warning', reason: 'SelectingAll', message });
  }

  #claim(set: DaemonSet, selector: readonly Requirement[]): Promise<readonly Pod[]> {
    const { client } = this.#context;
    const { uid, namespace } = set.metadata;
    const candidates = [...controlledBy(this.#pods.store, uid), ...orphansIn(this.#pods.store, namespace)];
    return claimObjects({ client, ownerKind: DaemonSet, owner: set, selector, kind: Pod }, candidates);
  }

  #owned({ metadata }: DaemonSet, selector: readonly Requirement[]): readonly Pod[] {
    return controlledBy(this.#pods.store, metadata.uid).filter((pod) => matchesLabels(selector, pod.metadata.labels));
  }

  async #manage(view: View, revision: ControllerRevision): Promise<{ readonly error: unknown } | undefined> {
    try {
      const isBusy = await this.#carryOut(view, revision, upkeep(view));
      const isRolling = view.set.spec.updateStrategy?.type !== 'OnDelete';
      if (!isBusy && isRolling) await this.#carryOut(view, revision, updateStep(view));
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  /** Whether there was anything to do. */
  async #carryOut({ set }: View, revision: ControllerRevision, plan: Plan): Promise<boolean> {
    const remove = [...plan.remove, ...plan.ended.filter((pod) => this.#mayGo(set, pod))];
    const create = plan.create.slice(0, maxBurst);
    await inBatches(create, (node) => this.#podControl.create(set, newPod(set, revision, node)));
    await allOf(remove.slice(0, maxBurst).map((pod) => this.#podControl.delete(set, pod)));
    return create.length + remove.length > 0;
  }

  /** A node on which pods fail again and again is given time. */
  #mayGo(set: DaemonSet, pod: Pod): boolean {
    const { nodeName = '' } = pod.spec;
    const which = `${keyOf(pod)} on node ${nodeName}, will try to`;
    if (pod.status.phase === 'Succeeded') {
      const message = `Found succeeded daemon pod ${which} delete it`;
      this.#recorder.event(set, { type: 'Normal', reason: 'SucceededDaemonPod', message });
      return true;
    }
    const waitMs = this.#failedPods.waitMs(`${keyOf(set)}/${nodeName}`, this.#context.clock.monotonic());
    if (waitMs > 0) {
      this.queue.addAfter(keyOf(set), waitMs);
      return false;
    }
    const message = `Found failed daemon pod ${which} kill it`;
    this.#recorder.event(set, { type: 'Warning', reason: 'FailedDaemonPod', message });
    return true;
  }

  async #forgetOld({ set, pods }: View, old: readonly ControllerRevision[]): Promise<void> {
    const used = new Set(pods.map(({ metadata }) => metadata.labels?.[hashLabel]));
    const idle = old.filter((each) => !used.has(hashOf(each)));
    await forgetOld(this.#context.client, idle, old.length - (set.spec.revisionHistoryLimit ?? 10));
  }

  async #writeStatus(set: DaemonSet, status: DaemonSet['status']): Promise<void> {
    if (equalJson(status, set.status)) return;
    await this.#context.client.update(DaemonSet, { ...set, status }, { subresource: 'status' });
  }
}
