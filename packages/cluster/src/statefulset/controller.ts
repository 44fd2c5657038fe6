/**
 * The StatefulSet controller: pods with names that stay, and claims that stay with them.
 *
 * One pass goes as far as it can without waiting (plan.ts); the change that it makes, or the one that it waits for, brings
 * the next. Templates are remembered as ControllerRevisions, under the names that Kubernetes gives them.
 */
import { createWorkQueue, type InformerEvent, type InformerHandle } from '@keelson/client';
import { controllerOf, equalJson, keyOf, matchesLabels, type NamespacedName, type Requirement } from '@keelson/core';
import { ControllerRevision, StatefulSet } from '@keelson/core/apps/v1';
import { PersistentVolumeClaim, Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { forgetOld, type Naming, rememberTemplate, revisionsOf } from '../history/controller-revisions.ts';
import { revisionHash } from '../history/revision-hash.ts';
import { selectorOf } from '../ownership/claim.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, controllerIndex, orphansIn } from '../ownership/controller-index.ts';
import { inBatches } from '../pod-control.ts';
import { nextAvailabilityMs } from '../replicaset/pods.ts';
import { type Revisions, revisionFor, revisionOf } from './new-pod.ts';
import { isMember } from './ordinals.ts';
import { isOrdered, type Plan, planOf, type Step } from './plan.ts';
import { StatefulPodControl } from './pod-control.ts';
import { statusOf } from './status.ts';

const naming: Naming<StatefulSet> = {
  hashLabel: 'controller.kubernetes.io/hash',
  hash: (_set, data, collisionCount) => revisionHash(data, collisionCount),
};

export function startStatefulSetController(context: ControllerContext): RunningController {
  const controller = new StatefulSetController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'statefulset',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

class StatefulSetController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #podControl: StatefulPodControl;
  readonly #sets: InformerHandle<StatefulSet>;
  readonly #pods: InformerHandle<Pod>;
  readonly #claims: InformerHandle<PersistentVolumeClaim>;
  readonly #revisions: InformerHandle<ControllerRevision>;

  constructor(context: ControllerContext) {
    const { informers, client, clock } = context;
    this.#context = context;
    this.queue = createWorkQueue({ clock });
    this.#sets = informers.informer(StatefulSet);
    this.#pods = informers.informer(Pod, { indexes: controllerIndex });
    this.#claims = informers.informer(PersistentVolumeClaim);
    this.#revisions = informers.informer(ControllerRevision, { indexes: controllerIndex });
    this.#podControl = new StatefulPodControl(client, context.recorder('statefulset-controller'), this.#claims.store);
  }

  get informers() {
    return [this.#sets, this.#pods, this.#claims, this.#revisions];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#sets.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
    this.#claims.subscribe(
      ({ type, object }) => {
        if (type === 'deleted') this.#claimDeleted(object);
      },
      { signal },
    );
  }

  #podChanged(event: InformerEvent<Pod>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const pod of states) {
      const controller = controllerOf(pod);
      if (controller?.kind === StatefulSet.kind) this.queue.add(`${pod.metadata.namespace}/${controller.name}`);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const set of this.#sets.store.list({ namespace: event.object.metadata.namespace })) {
      const selector = selectorOf(set.spec.selector);
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.add(keyOf(set));
    }
  }

  /** A pod may wait for the end of a claim that an earlier one had. */
  #claimDeleted({ metadata }: PersistentVolumeClaim): void {
    for (const set of this.#sets.store.list({ namespace: metadata.namespace })) {
      if (metadata.name.includes(`-${set.metadata.name}-`)) this.queue.add(keyOf(set));
    }
  }

  async sync(key: NamespacedName): Promise<void> {
    const set = this.#sets.store.get(key);
    const selector = set && selectorOf(set.spec.selector);
    if (!set || !selector) return;
    const { client, clock } = this.#context;
    const remembered = await revisionsOf(client, StatefulSet, set, selector, this.#revisions);
    const pods = await this.#claim(set, selector);
    const { revision: update, collisionCount } = await rememberTemplate(client, StatefulSet, set, remembered, naming);
    const current = remembered.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update;
    const revisions: Revisions = { current, update };
    const wallMs = clock.now();
    const updateRevision = update.metadata.name;
    const isHeldBack = (ordinal: number) => this.#podControl.isHeldBack(set, ordinal);
    const failure = await this.#carryOut(set, revisions, planOf({ set, pods, updateRevision, wallMs, isHeldBack }));
    const after = this.#owned(set, selector);
    const seen = { currentRevision: current.metadata.name, updateRevision, collisionCount };
    await this.#writeStatus(set, statusOf(set, { pods: after, ...seen, wallMs }));
    const used = new Set([current.metadata.name, updateRevision, ...pods.map(revisionOf)]);
    const idle = remembered.filter(({ metadata }) => !used.has(metadata.name));
    const limit = set.spec.revisionHistoryLimit ?? 10;
    if (limit >= 0) await forgetOld(client, idle, idle.length - limit);
    if (failure) throw failure.error;
    const checkInMs = nextAvailabilityMs(after, set.spec.minReadySeconds ?? 0, wallMs);
    if (checkInMs !== undefined) this.queue.addAfter(key, checkInMs);
  }

  /** Those that bear the set's name; it takes no others. */
  #claim(set: StatefulSet, selector: readonly Requirement[]): Promise<readonly Pod[]> {
    const { client } = this.#context;
    const { uid, namespace } = set.metadata;
    const orphans = orphansIn(this.#pods.store, namespace).filter((pod) => isMember(set, pod));
    return claimObjects({ client, ownerKind: StatefulSet, owner: set, selector, kind: Pod }, [
      ...controlledBy(this.#pods.store, uid),
      ...orphans,
    ]);
  }

  /** What was made or deleted just now is part of the picture. */
  #owned({ metadata }: StatefulSet, selector: readonly Requirement[]): readonly Pod[] {
    return controlledBy(this.#pods.store, metadata.uid).filter((pod) => matchesLabels(selector, pod.metadata.labels));
  }

  async #carryOut(
    set: StatefulSet,
    revisions: Revisions,
    plan: Plan,
  ): Promise<{ readonly error: unknown } | undefined> {
    const act = (step: Step) => this.#act(set, revisions, step);
    try {
      for (const stage of plan) {
        if (isOrdered(set)) for (const step of stage) await act(step);
        else await inBatches(stage, act);
      }
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #act(set: StatefulSet, revisions: Revisions, step: Step): Promise<void> {
    switch (step.type) {
      case 'create':
        return this.#podControl.create(set, revisionFor(set, revisions, step.ordinal), step.ordinal);
      case 'repair':
        return this.#podControl.repair(set, step.pod);
      case 'claims':
        return this.#podControl.keepClaims(set, step.pod, step.missing);
      case 'delete':
        return this.#podControl.delete(set, step.pod);
      default:
        return step satisfies never;
    }
  }

  async #writeStatus(set: StatefulSet, status: StatefulSet['status']): Promise<void> {
    if (equalJson(status, set.status)) return;
    await this.#context.client.update(StatefulSet, { ...set, status }, { subresource: 'status' });
  }
}
