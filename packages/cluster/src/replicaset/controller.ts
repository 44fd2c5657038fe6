/**
 * The ReplicaSet controller: as many pods as asked for, no more and no fewer.
 *
 * Kubernetes guards against a cache that does not show its own pods yet by expectations: it acts again only when the
 * watch has shown all that it did. Here the stores show our own writes at once, so a pass always sees the pods that the
 * one before has made or deleted, and need not wait.
 */
import { createWorkQueue, type InformerEvent, type InformerHandle } from '@keelson/client';
import { controllerOf, equalJson, keyOf, matchesLabels, type NamespacedName, type Requirement } from '@keelson/core';
import { ReplicaSet } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { selectorOf } from '../ownership/claim.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, controllerIndex, orphansIn } from '../ownership/controller-index.ts';
import { allOf, inBatches, type PodControl, podControl } from '../pod-control.ts';
import { podFromTemplate } from '../pod-from-template.ts';
import { podsToDelete } from './deletion-order.ts';

import { isActive, isTerminating, nextAvailabilityMs } from './pods.ts';
import { type Failure, type Observation, statusOf } from './status.ts';

/** No more than this in one pass, so that one ReplicaSet cannot hold up all others. */
const maxBurst = 500;

export function startReplicaSetController(context: ControllerContext): RunningController {
  const controller = new ReplicaSetController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'replicaset',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

class ReplicaSetController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #podControl: PodControl;
  readonly #replicaSets: InformerHandle<ReplicaSet>;
  readonly #pods: InformerHandle<Pod>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock });
    this.#podControl = podControl(context.client, context.recorder('replicaset-controller'));
    this.#replicaSets = context.informers.informer(ReplicaSet);
    this.#pods = context.informers.informer(Pod, { indexes: controllerIndex });
  }

  get informers() {
    return [this.#replicaSets, this.#pods];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#replicaSets.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
  }

  #podChanged(event: InformerEvent<Pod>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const pod of states) {
      const controller = controllerOf(pod);
      if (controller?.kind === ReplicaSet.kind) this.queue.add(`${pod.metadata.namespace}/${controller.name}`);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const replicaSet of this.#replicaSets.store.list({ namespace: event.object.metadata.namespace })) {
      const selector = selectorOf(replicaSet.spec.selector);
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.add(keyOf(replicaSet));
    }
  }

  async sync(key: NamespacedName): Promise<void> {
    const replicaSet = this.#replicaSets.store.get(key);
    const selector = replicaSet && selectorOf(replicaSet.spec.selector);
    if (!replicaSet || !selector) return;
    const { uid, namespace, deletionTimestamp } = replicaSet.metadata;
    const candidates = [...controlledBy(this.#pods.store, uid), ...orphansIn(this.#pods.store, namespace)];
    const active = await this.#claim(replicaSet, selector, candidates.filter(isActive));
    const failed = deletionTimestamp === undefined ? await this.#manage(replicaSet, active) : undefined;
    // Read again: what was made or deleted just now is part of the picture.
    const owned = controlledBy(this.#pods.store, uid).filter(({ metadata }) =>
      matchesLabels(selector, metadata.labels),
    );
    const observation: Observation = {
      active: owned.filter(isActive),
      terminating: owned.filter(isTerminating),
      failure: failed?.failure,
      wallMs: this.#context.clock.now(),
    };
    await this.#writeStatus(replicaSet, observation);
    if (failed) throw failed.error;
    const checkInMs = nextAvailabilityMs(observation.active, replicaSet.spec.minReadySeconds ?? 0, observation.wallMs);
    if (checkInMs !== undefined) this.queue.addAfter(key, checkInMs);
  }

  #claim(
    replicaSet: ReplicaSet,
    selector: readonly Requirement[],
    candidates: readonly Pod[],
  ): Promise<readonly Pod[]> {
    const { client } = this.#context;
    return claimObjects({ client, ownerKind: ReplicaSet, owner: replicaSet, selector, kind: Pod }, candidates);
  }

  /** Makes or deletes what is missing or too much; says what went wrong, if anything did. */
  async #manage(
    replicaSet: ReplicaSet,
    active: readonly Pod[],
  ): Promise<{ readonly failure: Failure; readonly error: unknown } | undefined> {
    const surplus = active.length - (replicaSet.spec.replicas ?? 1);
    try {
      if (surplus < 0) {
        const pod = podFromTemplate(ReplicaSet, replicaSet, replicaSet.spec.template);
        const missing = Array.from({ length: Math.min(-surplus, maxBurst) }, () => pod);
        await inBatches(missing, (each) => this.#podControl.create(replicaSet, each));
      } else if (surplus > 0) {
        const count = Math.min(surplus, maxBurst);
        const chosen = podsToDelete(active, this.#related(replicaSet), count, this.#context.clock.now());
        await allOf(chosen.map((pod) => this.#podControl.delete(replicaSet, pod)));
      }
      return undefined;
    } catch (error) {
      const reason = surplus < 0 ? 'FailedCreate' : 'FailedDelete';
      const message = surplus < 0 ? reasonOf(error) : `unable to delete pods: ${reasonOf(error)}`;
      return { failure: { reason, message }, error };
    }
  }

  /** The pods of all ReplicaSets with the same controller. */
  #related(replicaSet: ReplicaSet): readonly Pod[] {
    const owner = controllerOf(replicaSet);
    if (!owner) return [];
    return this.#replicaSets.store
      .list({ namespace: replicaSet.metadata.namespace })
      .filter((each) => controllerOf(each)?.uid === owner.uid)
      .flatMap(({ metadata }) => controlledBy(this.#pods.store, metadata.uid));
  }

  async #writeStatus(replicaSet: ReplicaSet, observation: Observation): Promise<void> {
    const status = statusOf(replicaSet, observation);
    if (equalJson(status, replicaSet.status)) return;
    await this.#context.client.update(ReplicaSet, { ...replicaSet, status }, { subresource: 'status' });
  }
}
