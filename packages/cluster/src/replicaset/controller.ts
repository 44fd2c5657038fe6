/**
 * The controller of ReplicaSets and of ReplicationControllers: as many pods as asked for, no more and no fewer.
 *
 * Kubernetes guards against a cache that does not show its own pods yet by expectations: it acts again only when the
 * watch has shown all that it did. Here the stores show our own writes at once, so a pass always sees the pods that the
 * one before has made or deleted, and need not wait.
 */
import { createWorkQueue, type InformerEvent, type InformerHandle, type UpdateOf } from '@keelson/client';
import {
  controllerOf,
  equalJson,
  type Kind,
  keyOf,
  matchesLabels,
  type NamespacedName,
  type ObjectOf,
  type Requirement,
} from '@keelson/core';
import type { ReplicaSet, ReplicaSetStatus } from '@keelson/core/apps/v1';
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

import { isActive, isCountedChange, isTerminating, nextAvailabilityMs } from './pods.ts';
import { type Failure, type Observation, statusOf } from './status.ts';

/** No more than this in one pass, so that one ReplicaSet cannot hold up all others. */
const maxBurst = 500;

/** A kind whose objects want a number of pods; all of this is written for ReplicaSets, as which the others are seen. */
export interface ReplicaKind<K extends Kind> {
  readonly kind: K;
  readonly name: string;
  /** Who says what is said. */
  readonly component: string;
  readonly view: (object: ObjectOf<K>) => ReplicaSet;
  /** The object with a status, as the kind has it. */
  readonly withStatus: (object: ObjectOf<K>, status: ReplicaSetStatus) => ObjectOf<K>;
}

export function startReplicaController<K extends Kind>(
  context: ControllerContext,
  sort: ReplicaKind<K>,
): RunningController {
  const controller = new ReplicaController(context, sort);
  controller.subscribe();
  return startLoop(context, {
    name: sort.name,
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

class ReplicaController<K extends Kind> {
  readonly queue;
  readonly #sort: ReplicaKind<K>;
  readonly #context: ControllerContext;
  readonly #podControl: PodControl;
  readonly #owners: InformerHandle<ObjectOf<K>>;
  readonly #pods: InformerHandle<Pod>;

  constructor(context: ControllerContext, sort: ReplicaKind<K>) {
    this.#sort = sort;
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock });
    this.#podControl = podControl(context.client, context.recorder(sort.component));
    this.#owners = context.informers.informer(sort.kind);
    this.#pods = context.informers.informer(Pod, { indexes: controllerIndex });
  }

  get informers() {
    return [this.#owners, this.#pods];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#owners.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
  }

  #podChanged(event: InformerEvent<Pod>): void {
    if (event.type === 'updated' && !isCountedChange(event.previous, event.object)) return;
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const pod of states) {
      const controller = controllerOf(pod);
      if (controller?.kind === this.#sort.kind.kind) this.queue.add(`${pod.metadata.namespace}/${controller.name}`);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const replicaSet of this.#viewsIn(event.object.metadata.namespace)) {
      const selector = selectorOf(replicaSet.spec.selector);
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.add(keyOf(replicaSet));
    }
  }

  #viewsIn(namespace: string): readonly ReplicaSet[] {
    return this.#owners.store.list({ namespace }).map((object) => this.#sort.view(object));
  }

  async sync(key: NamespacedName): Promise<void> {
    const owner = this.#owners.store.get(key);
    const replicaSet = owner && this.#sort.view(owner);
    const selector = replicaSet && selectorOf(replicaSet.spec.selector);
    if (!selector) return;
    const { uid, namespace, deletionTimestamp } = replicaSet.metadata;
    const candidates = [...controlledBy(this.#pods.store, uid), ...orphansIn(this.#pods.store, namespace)];
    const active = await this.#claim(owner, selector, candidates.filter(isActive));
    const failed = deletionTimestamp === undefined ? await this.#manage(owner, active) : undefined;
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
    await this.#writeStatus(owner, observation);
    if (failed) throw failed.error;
    const checkInMs = nextAvailabilityMs(observation.active, replicaSet.spec.minReadySeconds ?? 0, observation.wallMs);
    if (checkInMs !== undefined) this.queue.addAfter(key, checkInMs);
  }

  #claim(owner: ObjectOf<K>, selector: readonly Requirement[], candidates: readonly Pod[]): Promise<readonly Pod[]> {
    const { client } = this.#context;
    return claimObjects({ client, ownerKind: this.#sort.kind, owner, selector, kind: Pod }, candidates);
  }

  /** Makes or deletes what is missing or too much; says what went wrong, if anything did. */
  async #manage(
    owner: ObjectOf<K>,
    active: readonly Pod[],
  ): Promise<{ readonly failure: Failure; readonly error: unknown } | undefined> {
    const replicaSet = this.#sort.view(owner);
    const surplus = active.length - (replicaSet.spec.replicas ?? 1);
    try {
      if (surplus < 0) {
        const pod = podFromTemplate(this.#sort.kind, owner, replicaSet.spec.template);
        const missing = Array.from({ length: Math.min(-surplus, maxBurst) }, () => pod);
        await inBatches(missing, (each) => this.#podControl.create(owner, each));
      } else if (surplus > 0) {
        const count = Math.min(surplus, maxBurst);
        const chosen = podsToDelete(active, this.#related(replicaSet), count, this.#context.clock.now());
        await allOf(chosen.map((pod) => this.#podControl.delete(owner, pod)));
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
    return this.#viewsIn(replicaSet.metadata.namespace)
      .filter((each) => controllerOf(each)?.uid === owner.uid)
      .flatMap(({ metadata }) => controlledBy(this.#pods.store, metadata.uid));
  }

  async #writeStatus(owner: ObjectOf<K>, observation: Observation): Promise<void> {
    const next = this.#sort.withStatus(owner, statusOf(this.#sort.view(owner), observation));
    if (equalJson(next, owner)) return;
    await this.#context.client.update(this.#sort.kind, next as UpdateOf<K>, { subresource: 'status' });
  }
}
