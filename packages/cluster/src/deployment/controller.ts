/**
 * The Deployment controller: rolls pod templates out as ReplicaSets, step by step.
 *
 * Promises: sizes stay within surge and unavailability at every moment (scaling.ts); a rollout without progress is
 * reported at its deadline. One pass does one step; the change that it makes brings the next.
 */
import { createWorkQueue, type EventRecorder, type InformerEvent, type InformerHandle } from '@keelson/client';
import {
  controllerOf,
  equalJson,
  isAlreadyExists,
  isControlledBy,
  isNotFound,
  keyOf,
  matchesLabels,
  type NamespacedName,
} from '@keelson/core';
import { Deployment, type DeploymentStatus, ReplicaSet } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { isNamespaceTerminating, startLoop } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { selectorOf } from '../ownership/claim.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, controllerIndex } from '../ownership/controller-index.ts';
import { revision } from './annotations.ts';
import { isRollingUpdate, replicasOf } from './bounds.ts';
import * as conditions from './conditions.ts';
import {
  allOf,
  isActive,
  isSameTemplate,
  newReplicaSet,
  outdated,
  type ReplicaSets,
  refreshed,
  sortOut,
} from './replica-sets.ts';
import { isScalingEvent, newestReplicas, proportionalStep, rollingStep, type Scale, scaled } from './scaling.ts';
import { isComplete, nextCheckMs, pauseCondition, progressDeadlineMs, rolloutStatus, statusOf } from './status.ts';

export function startDeploymentController(context: ControllerContext): RunningController {
  const controller = new DeploymentController(context);
  controller.subscribe();
  return startLoop(context, {
    name: 'deployment',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
}

/** One pass over one Deployment: what was read, and what will be written to its status. */
interface Pass {
  readonly read: Deployment;
  /** With the revision and the conditions that this pass has come to so far. */
  draft: Deployment;
  replicaSets: ReplicaSets;
}

class DeploymentController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #deployments: InformerHandle<Deployment>;
  readonly #replicaSets: InformerHandle<ReplicaSet>;
  readonly #pods: InformerHandle<Pod>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock });
    this.#recorder = context.recorder('deployment-controller');
    this.#deployments = context.informers.informer(Deployment);
    this.#replicaSets = context.informers.informer(ReplicaSet);
    this.#pods = context.informers.informer(Pod, { indexes: controllerIndex });
  }

  get informers() {
    return [this.#deployments, this.#replicaSets, this.#pods];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#deployments.subscribe(({ object }) => this.queue.add(keyOf(object)), { signal });
    this.#replicaSets.subscribe((event) => this.#replicaSetChanged(event), { signal });
    this.#pods.subscribe(
      (event) => {
        if (event.type === 'deleted') this.#podDeleted(event.object);
      },
      { signal },
    );
  }

  #replicaSetChanged(event: InformerEvent<ReplicaSet>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const replicaSet of states) {
      const owner = ownerKey(replicaSet);
      if (owner) this.queue.add(owner);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const deployment of this.#deployments.store.list({ namespace: event.object.metadata.namespace })) {
      const selector = selectorOf(deployment.spec.selector);
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.add(keyOf(deployment));
    }
  }

  /** Recreate waits until the last old pod is gone, and no ReplicaSet changes when it goes. */
  #podDeleted(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller?.kind !== ReplicaSet.kind) return;
    const replicaSet = this.#replicaSets.store.get(`${pod.metadata.namespace}/${controller.name}`);
    const owner = replicaSet && ownerKey(replicaSet);
    const deployment = owner && this.#deployments.store.get(owner);
    if (deployment && !isRollingUpdate(deployment)) this.queue.add(keyOf(deployment));
  }

  async sync(key: NamespacedName): Promise<void> {
    const read = this.#deployments.store.get(key);
    if (!read) return;
    const selector = selectorOf(read.spec.selector);
    if (!selector) return this.#refuse(read);
    const owned = await claimObjects(
      {
        client: this.#context.client,
        ownerKind: Deployment,
        owner: read,
        selector,
        kind: ReplicaSet,
      },
      this.#replicaSets.store.list({ namespace: read.metadata.namespace }),
    );
    const pass: Pass = { read, draft: read, replicaSets: sortOut(read, owned) };
    if (read.metadata.deletionTimestamp !== undefined) {
      await this.#write(pass, this.#statusOf(pass));
      return;
    }
    this.#note(pass, pauseCondition(read));
    await this.#refresh(pass);
    if (read.spec.paused || isScalingEvent(read, pass.replicaSets)) await this.#followSize(pass);
    else if (isRollingUpdate(read)) await this.#roll(pass);
    else await this.#recreate(pass);
  }

  /** A selector that selects everything would take over all pods of the namespace. */
  async #refuse(deployment: Deployment): Promise<void> {
    this.#recorder.event(deployment, {
      type: 'Warning',
      reason: 'SelectingAll',
      message: 'This deployment is selecting all pods. A non-empty selector is required.',
    });
    const { generation } = deployment.metadata;
    const pass = { read: deployment, draft: deployment, replicaSets: { newest: undefined, old: [] } };
    await this.#write(pass, { ...deployment.status, observedGeneration: generation });
  }

  /** Keeps the newest ReplicaSet's annotations, and with them the Deployment's revision. */
  async #refresh(pass: Pass): Promise<void> {
    const change = refreshed(pass.draft, pass.replicaSets);
    if (change) this.#replace(pass, await this.#context.client.update(ReplicaSet, change));
    const { newest } = pass.replicaSets;
    if (!newest) return;
    this.#setRevision(pass, newest.metadata.annotations?.[revision] ?? '');
    const isSilent = conditions.find(pass.draft.status.conditions ?? [], 'Progressing') === undefined;
    if (isSilent && progressDeadlineMs(pass.draft) !== undefined) {
      this.#note(pass, conditions.foundNew(newest.metadata.name));
    }
  }

  async #followSize(pass: Pass): Promise<void> {
    await this.#scale(pass, proportionalStep(pass.draft, pass.replicaSets));
    if (pass.draft.spec.paused) await this.#cleanUp(pass);
    await this.#write(pass, this.#statusOf(pass));
  }

  async #roll(pass: Pass): Promise<void> {
    const newest = pass.replicaSets.newest ?? (await this.#create(pass));
    if (!newest) return;
    const steps = rollingStep(pass.draft, newest, pass.replicaSets.old);
    await this.#scale(pass, steps);
    if (steps.length === 0 && isComplete(pass.draft, pass.draft.status)) await this.#cleanUp(pass);
    await this.#writeRollout(pass);
  }

  async #recreate(pass: Pass): Promise<void> {
    const toZero = pass.replicaSets.old.filter(isActive).map((replicaSet) => ({ replicaSet, replicas: 0 }));
    await this.#scale(pass, toZero);
    if (toZero.length > 0 || this.#hasOldPods(pass.replicaSets)) return this.#writeRollout(pass);
    const newest = pass.replicaSets.newest ?? (await this.#create(pass));
    if (!newest) return;
    const replicas = replicasOf(pass.draft);
    if (replicasOf(newest) !== replicas) await this.#scale(pass, [{ replicaSet: newest, replicas }]);
    if (isComplete(pass.draft, pass.draft.status)) await this.#cleanUp(pass);
    await this.#writeRollout(pass);
  }

  /** Pods that end count until they have ended. */
  #hasOldPods({ old }: ReplicaSets): boolean {
    const isRunning = ({ status }: Pod) => status.phase !== 'Succeeded' && status.phase !== 'Failed';
    return old.some(
      ({ metadata, status }) =>
        status.replicas > 0 || controlledBy(this.#pods.store, metadata.uid).some((pod) => isRunning(pod)),
    );
  }

  /** `undefined` when its name is taken: the next pass uses another hash. */
  async #create(pass: Pass): Promise<ReplicaSet | undefined> {
    const { draft, replicaSets } = pass;
    const replicas = newestReplicas(draft, replicaSets.old, 0);
    const input = newReplicaSet(draft, replicaSets.old, replicas);
    const { name } = input.metadata;
    try {
      const made = await this.#context.client.create(ReplicaSet, input);
      if (replicas > 0) this.#recordEvent(draft, `Scaled up replica set ${name} from 0 to ${replicas}`);
      if (progressDeadlineMs(draft) !== undefined) this.#note(pass, conditions.created(name));
      this.#adopt(pass, made);
      return made;
    } catch (error) {
      if (isAlreadyExists(error)) return this.#resolveCollision(pass, keyOf(input));
      if (!isNamespaceTerminating(error)) await this.#reportFailure(pass, name, error);
      throw error;
    }
  }

  /** Either an earlier create arrived and its answer did not, or another template has the same hash. */
  async #resolveCollision(pass: Pass, key: NamespacedName): Promise<ReplicaSet | undefined> {
    const { read, draft } = pass;
    const existing = await this.#context.client.get(ReplicaSet, key);
    if (isControlledBy(existing, read) && isSameTemplate(existing.spec.template, read.spec.template)) {
      this.#adopt(pass, existing);
      return existing;
    }
    await this.#write(pass, { ...draft.status, collisionCount: (draft.status.collisionCount ?? 0) + 1 });
    return undefined;
  }

  async #reportFailure(pass: Pass, name: string, error: unknown): Promise<void> {
    const statement = conditions.createFailed(name, reasonOf(error));
    const { reason, message } = statement;
    this.#recorder.event(pass.draft, { type: 'Warning', reason, message });
    if (progressDeadlineMs(pass.draft) === undefined) return;
    this.#note(pass, statement);
    // The failed create is what must be heard of; that it could not be reported either adds nothing.
    await this.#write(pass, pass.draft.status).catch(() => {});
  }

  #adopt(pass: Pass, newest: ReplicaSet): void {
    pass.replicaSets = { ...pass.replicaSets, newest };
    this.#setRevision(pass, newest.metadata.annotations?.[revision] ?? '');
  }

  async #scale(pass: Pass, steps: readonly Scale[]): Promise<void> {
    for (const step of steps) {
      const from = replicasOf(step.replicaSet);
      const updated = await this.#context.client.update(ReplicaSet, scaled(pass.draft, step));
      this.#replace(pass, updated);
      if (from === step.replicas) continue;
      const direction = from < step.replicas ? 'up' : 'down';
      const { name } = updated.metadata;
      this.#recordEvent(pass.draft, `Scaled ${direction} replica set ${name} from ${from} to ${step.replicas}`);
    }
  }

  #replace(pass: Pass, updated: ReplicaSet): void {
    const { uid } = updated.metadata;
    const all = allOf(pass.replicaSets).map((each) => (each.metadata.uid === uid ? updated : each));
    pass.replicaSets = sortOut(pass.draft, all);
  }

  async #cleanUp({ draft, replicaSets }: Pass): Promise<void> {
    for (const replicaSet of outdated(draft, replicaSets.old)) {
      try {
        await this.#context.client.delete(ReplicaSet, keyOf(replicaSet));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
  }

  #note(pass: Pass, statement: conditions.Statement | undefined): void {
    if (!statement) return;
    const { status } = pass.draft;
    const next = conditions.set(status.conditions ?? [], statement, this.#context.clock.now());
    pass.draft = { ...pass.draft, status: { ...status, conditions: next } };
  }

  #setRevision(pass: Pass, value: string): void {
    const { metadata } = pass.draft;
    pass.draft = {
      ...pass.draft,
      metadata: { ...metadata, annotations: { ...metadata.annotations, [revision]: value } },
    };
  }

  #statusOf({ draft, replicaSets }: Pass): DeploymentStatus {
    return statusOf(draft, replicaSets, this.#context.clock.now());
  }

  async #writeRollout(pass: Pass): Promise<void> {
    const wallMs = this.#context.clock.now();
    const status = rolloutStatus(pass.draft, pass.replicaSets, wallMs);
    const isWritten = await this.#write(pass, status);
    // What was written comes back as an event; what was not must be looked at again before its deadline.
    const checkInMs = isWritten ? undefined : nextCheckMs(pass.draft, status, wallMs);
    if (checkInMs !== undefined) this.queue.addAfter(keyOf(pass.read), checkInMs);
  }

  /** Whether there was anything to write. The revision travels with the status, as in Kubernetes. */
  async #write({ read, draft }: Pass, status: DeploymentStatus): Promise<boolean> {
    const next = { ...draft, status };
    if (equalJson(next.status, read.status) && equalJson(next.metadata.annotations, read.metadata.annotations)) {
      return false;
    }
    await this.#context.client.update(Deployment, next, { subresource: 'status' });
    return true;
  }

  #recordEvent(deployment: Deployment, message: string): void {
    this.#recorder.event(deployment, { type: 'Normal', reason: 'ScalingReplicaSet', message });
  }
}

function ownerKey(replicaSet: ReplicaSet): NamespacedName | undefined {
  const owner = controllerOf(replicaSet);
  return owner?.kind === Deployment.kind ? `${replicaSet.metadata.namespace}/${owner.name}` : undefined;
}
