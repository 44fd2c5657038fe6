/**
 * The disruption controller: keeps in the status of each PodDisruptionBudget how many pods may be evicted now.
 *
 * The API server decides about evictions by that status alone, so when it cannot be found out, it says none.
 */
import { createWorkQueue, type EventRecorder, type InformerEvent, type InformerHandle } from '@keelson/client';
import { equalJson, isConflict, keyOf, matchesLabels, type NamespacedName, requirementsOf } from '@keelson/core';
import { Deployment, ReplicaSet, StatefulSet } from '@keelson/core/apps/v1';
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from '@keelson/core/policy/v1';
import { Pod, ReplicationController } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { reasonOf } from '../error-reason.ts';
import { countsOf, disruptedIn, failedStatus, needsScale, statusOf } from './budget-status.ts';
import { expectedScale, type ScaleSources } from './expected-scale.ts';
import { goSelector } from './go-selector.ts';
import { staleInMs, withoutTarget } from './stale-target.ts';

export function startDisruptionController(context: ControllerContext): RunningController {
  const controller = new DisruptionController(context);
  controller.subscribe();
  const { informers } = controller;
  const name = 'disruption';
  const loops = [
    startLoop(context, {
      name,
      queue: controller.budgetQueue,
      informers,
      sync: (key) => controller.sync(key),
      workers: 1,
    }),
    startLoop(context, {
      name,
      queue: controller.podQueue,
      informers,
      sync: (key) => controller.syncPod(key),
      workers: 1,
    }),
  ];
  return {
    synced: Promise.all(loops.map(({ synced }) => synced)).then(() => {}),
    stopped: Promise.all(loops.map(({ stopped }) => stopped)).then(() => {}),
  };
}

class DisruptionController {
  readonly budgetQueue;
  /** Pods whose eviction was announced and did not happen. */
  readonly podQueue;
  readonly informers: readonly InformerHandle[];
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #budgets: InformerHandle<PodDisruptionBudget>;
  readonly #pods: InformerHandle<Pod>;
  readonly #sources: ScaleSources;

  constructor(context: ControllerContext) {
    const { client, discovery, informers, clock } = context;
    this.#context = context;
    this.budgetQueue = createWorkQueue({ clock });
    this.podQueue = createWorkQueue({ clock });
    this.#recorder = context.recorder('controllermanager');
    this.#budgets = informers.informer(PodDisruptionBudget);
    this.#pods = informers.informer(Pod);
    const deployments = informers.informer(Deployment);
    const replicaSets = informers.informer(ReplicaSet);
    const statefulSets = informers.informer(StatefulSet);
    const replicationControllers = informers.informer(ReplicationController);
    this.#sources = {
      client,
      discovery,
      deployments: deployments.store,
      replicaSets: replicaSets.store,
      statefulSets: statefulSets.store,
      replicationControllers: replicationControllers.store,
    };
    const all = [this.#budgets, this.#pods, deployments, replicaSets, statefulSets, replicationControllers];
    this.informers = all as unknown as readonly InformerHandle[];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#budgets.subscribe(({ object }) => this.budgetQueue.add(keyOf(object)), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
  }

  #podChanged(event: InformerEvent<Pod>): void {
    const { object } = event;
    const budgets = this.#budgetsOf(object);
    const left = event.type === 'updated' ? this.#budgetsOf(event.previous) : [];
    for (const budget of [...budgets, ...left]) this.budgetQueue.add(keyOf(budget));
    const [first, ...others] = budgets;
    if (first && others.length > 0) {
      const { namespace, name } = object.metadata;
      const who = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(name)}`;
      const message = `${who} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(first.metadata.name)} arbitrarily.`;
      this.#recorder.event(object, { type: 'Warning', reason: 'MultiplePodDisruptionBudgets', message });
    }
    if (event.type === 'deleted') return;
    const waitMs = staleInMs(object, this.#context.clock.now());
    if (waitMs !== undefined) this.podQueue.addAfter(keyOf(object), waitMs);
  }

  #budgetsOf({ metadata }: Pod): readonly PodDisruptionBudget[] {
    return this.#budgets.store
      .list({ namespace: metadata.namespace })
      .filter(({ spec: { selector } }) => selector && matchesLabels(requirementsOf(selector), metadata.labels));
  }

  async sync(key: NamespacedName): Promise<void> {
    const budget = this.#budgets.store.get(key);
    if (!budget) return;
    try {
      await this.#judge(budget);
    } catch (error) {
      if (isConflict(error)) throw error;
      await this.#write(budget, failedStatus(budget, reasonOf(error), this.#context.clock.now()));
    }
  }

  async #judge(budget: PodDisruptionBudget): Promise<void> {
    const { clock } = this.#context;
    const { selector } = budget.spec;
    const { namespace } = budget.metadata;
    const pods = selector ? this.#pods.store.list({ namespace, labels: requirementsOf(selector) }) : [];
    if (pods.length === 0) this.#recordEvent(budget, 'Normal', 'NoPods', 'No matching pods found');
    const scale = needsScale(budget.spec) ? await this.#scaleOf(budget, pods) : 0;
    const wallMs = clock.now();
    const disrupted = disruptedIn(budget, pods, wallMs);
    for (const pod of disrupted.overdue) {
      // Kubernetes names the namespace twice, and the budget not at all.
      const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      this.#recorder.event(pod, { type: 'Warning', reason: 'NotDeleted', message });
    }
    await this.#write(budget, statusOf(budget, pods, countsOf(budget.spec, pods, scale), disrupted, wallMs));
    if (disrupted.recheckMs !== undefined) this.budgetQueue.addAfter(keyOf(budget), disrupted.recheckMs + 1);
  }

  async #scaleOf(budget: PodDisruptionBudget, pods: readonly Pod[]): Promise<number> {
    try {
      const { scale, hasUnmanaged } = await expectedScale(this.#sources, pods);
      if (hasUnmanaged) {
        const message = `Pods selected by this PodDisruptionBudget (selector: ${goSelector(budget.spec.selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
        this.#recordEvent(budget, 'Warning', 'UnmanagedPods', message);
      }
      return scale;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${reasonOf(error)}`;
      this.#recordEvent(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  /** With the version that was judged: an eviction that was granted meanwhile must not be forgotten. */
  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Promise<void> {
    if (equalJson(status, budget.status)) return;
    const { client } = this.#context;
    await client.update(PodDisruptionBudget, { ...budget, status }, { subresource: 'status' });
  }

  async syncPod(key: NamespacedName): Promise<void> {
    const { client, clock } = this.#context;
    const pod = this.#pods.store.get(key);
    const waitMs = pod && staleInMs(pod, clock.now());
    if (!pod || waitMs === undefined) return;
    if (waitMs > 0) {
      this.podQueue.addAfter(key, waitMs);
      return;
    }
    const status = withoutTarget(pod, clock.now());
    await client.update(Pod, { ...pod, status }, { subresource: 'status' });
  }

  #recordEvent(budget: PodDisruptionBudget, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(budget, { type, reason, message });
  }
}
