/**
 * The Job controller: pods that run to their end, until as many as asked for have succeeded or too many have failed.
 *
 * Kubernetes guards against a cache that does not show its own writes yet by expectations; here the stores show them at
 * once, so a pass always sees what the one before has done. How often pods have failed in a row is kept in memory, as in
 * Kubernetes: a controller that starts anew begins with the shortest delay.
 */
import { createWorkQueue, type EventRecorder, type InformerEvent, type InformerHandle } from '@keelson/client';
import {
  controllerOf,
  equalJson,
  keyOf,
  matchesLabels,
  type NamespacedName,
  requirementsOf,
  timestamp,
} from '@keelson/core';
import { Job, type JobStatus } from '@keelson/core/batch/v1';
import { Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { selectorOf } from '../ownership/claim.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, controllerIndex, orphansIn } from '../ownership/controller-index.ts';
import { allOf, inBatches, type PodControl, podControl } from '../pod-control.ts';
import { isReady } from '../replicaset/pods.ts';
import { type Backoff, nextBackoff, noBackoff } from './backoff.ts';
import { finishedCondition, resumed, suspended, withCondition } from './conditions.ts';
import { announcementOf, completion, deadlineInMs, type Ending, endingOf } from './ending.ts';
import { startLeftPods } from './left-pods.ts';
import { isManagedElsewhere } from './managed-by.ts';
import { newPod } from './new-pod.ts';
import { isTracked, trackingFinalizer } from './pods.ts';
import { releasePod } from './release.ts';
import { stepOf } from './step.ts';
import { isAllCounted, normalised, settled, track } from './tracking.ts';
import { type View, viewOf } from './view.ts';

/** Changes of pods and of statuses come in swarms, and are looked at together. */
const batchMs = 1000;

export function startJobController(context: ControllerContext): RunningController {
  const controller = new JobController(context);
  controller.subscribe();
  const jobs = startLoop(context, {
    name: 'job',
    queue: controller.queue,
    informers: controller.informers,
    sync: (key) => controller.sync(key),
  });
  const leftPods = startLeftPods(context);
  return {
    synced: Promise.all([jobs.synced, leftPods.synced]).then(() => {}),
    stopped: Promise.all([jobs.stopped, leftPods.stopped]).then(() => {}),
  };
}

/** How many pods there are by now, in a pass that makes and deletes some. */
interface Counts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
}

/** What became of the pods, and what went wrong on the way, if anything did. */
interface Done {
  readonly counts: Counts;
  readonly error?: unknown;
}

class JobController {
  readonly queue;
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #podControl: PodControl;
  readonly #jobs: InformerHandle<Job>;
  readonly #pods: InformerHandle<Pod>;
  readonly #backoffs = new Map<string, Backoff>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.queue = createWorkQueue({ clock: context.clock, baseDelayMs: 1000, maxDelayMs: 60_000 });
    this.#recorder = context.recorder('job-controller');
    this.#podControl = podControl(context.client, this.#recorder);
    this.#jobs = context.informers.informer(Job);
    this.#pods = context.informers.informer(Pod, { indexes: controllerIndex });
  }

  get informers() {
    return [this.#jobs, this.#pods];
  }

  subscribe(): void {
    const { signal } = this.#context;
    this.#jobs.subscribe((event) => this.#jobChanged(event), { signal });
    this.#pods.subscribe((event) => this.#podChanged(event), { signal });
  }

  #jobChanged(event: InformerEvent<Job>): void {
    const isOnlyStatus =
      event.type === 'updated' && event.object.metadata.generation === event.previous.metadata.generation;
    this.queue.addAfter(keyOf(event.object), isOnlyStatus ? batchMs : 0);
  }

  #podChanged(event: InformerEvent<Pod>): void {
    const states = event.type === 'updated' ? [event.previous, event.object] : [event.object];
    for (const pod of states) {
      const controller = controllerOf(pod);
      if (controller?.kind === Job.kind) this.queue.addAfter(`${pod.metadata.namespace}/${controller.name}`, batchMs);
    }
    if (controllerOf(event.object) || event.type === 'deleted') return;
    for (const job of this.#jobs.store.list({ namespace: event.object.metadata.namespace })) {
      const selector = selectorOf(job.spec.selector ?? {});
      if (selector && matchesLabels(selector, event.object.metadata.labels)) this.queue.addAfter(keyOf(job), batchMs);
    }
  }

  async sync(key: NamespacedName): Promise<void> {
    const read = this.#jobs.store.get(key);
    if (!read || finishedCondition(read)) {
      this.#backoffs.delete(key);
      return;
    }
    if (isManagedElsewhere(read)) return;
    const wallMs = this.#context.clock.now();
    const pods = await this.#claim(read);
    const view = viewOf(started(read, wallMs), pods);
    const backoff = nextBackoff(this.#backoffs.get(key) ?? noBackoff, view.newlySucceeded, view.newlyFailed);
    const decided = endingOf(view, wallMs);
    const leftMs = decided ? undefined : deadlineInMs(view.job, wallMs);
    if (leftMs !== undefined) this.queue.addAfter(key, leftMs);
    const { counts, error } = decided ? await this.#deleteActive(view) : await this.#manage(view, backoff);
    // Pods that could not be deleted run on: the end is announced when they are.
    const ending = decided ? (counts.active === 0 ? decided : undefined) : completion(view, counts.active);
    const status = decided || ending ? view.job.status : this.#withSuspension(view.job);
    await this.#track({ view, read, backoff, counts, status: { ...status, ...counts } }, ending);
    if (error !== undefined) throw error;
  }

  async #claim(job: Job): Promise<readonly Pod[]> {
    // Unlike elsewhere, a selector that says nothing selects everything.
    const selector = requirementsOf(job.spec.selector ?? {});
    const { uid, namespace } = job.metadata;
    const candidates = [...controlledBy(this.#pods.store, uid), ...orphansIn(this.#pods.store, namespace)];
    const { client } = this.#context;
    return claimObjects(
      { client, ownerKind: Job, owner: job, selector, kind: Pod, finalizer: trackingFinalizer },
      candidates,
    );
  }

  /** Pods of a Job that has ended keep their finalizers until they are counted. */
  #deleteActive(view: View): Promise<Done> {
    return this.#delete(view, view.active, (pod) => this.#podControl.delete(view.job, pod));
  }

  async #manage(view: View, backoff: Backoff): Promise<Done> {
    const { job, active, ready, terminating } = view;
    const counts = { active: active.length, ready, terminating };
    if (job.metadata.deletionTimestamp !== undefined) return { counts };
    const step = stepOf(view, backoff, this.#context.clock.now());
    switch (step.type) {
      case 'delete':
        return this.#delete(view, step.pods, async (pod) => {
          await releasePod(this.#context.client, pod); // it is neither a success nor a failure
          await this.#podControl.delete(job, pod);
        });
      case 'create':
        return this.#create(view, step.indexes);
      case 'wait':
        this.queue.addAfter(keyOf(job), Math.max(step.ms, batchMs));
        return { counts };
      default:
        return step satisfies never;
    }
  }

  async #delete(
    { active, ready, terminating }: View,
    pods: readonly Pod[],
    remove: (pod: Pod) => Promise<void>,
  ): Promise<Done> {
    const deleted: Pod[] = [];
    const error = await failureOf(
      allOf(
        pods.map(async (pod) => {
          await remove(pod);
          deleted.push(pod);
        }),
      ),
    );
    const counts = {
      active: active.length - deleted.length,
      ready: ready - deleted.filter(isReady).length,
      terminating: terminating + deleted.length,
    };
    return { counts, error };
  }

  async #create(
    { job, active, ready, terminating, indexes }: View,
    wanted: readonly (number | undefined)[],
  ): Promise<Done> {
    let made = 0;
    const error = await failureOf(
      inBatches(wanted, async (index) => {
        const replaced = index === undefined ? undefined : indexes?.awaitingReplacement.get(index);
        await this.#podControl.create(job, newPod(job, index, replaced));
        made += 1;
      }),
    );
    return { counts: { active: active.length + made, ready, terminating }, error };
  }

  /** A Job whose deletion has begun neither rests nor goes on. */
  #withSuspension(job: Job): JobStatus {
    const { status, spec, metadata } = job;
    if (metadata.deletionTimestamp !== undefined) return status;
    const wallMs = this.#context.clock.now();
    const before = status.conditions ?? [];
    const conditions = withCondition(before, spec.suspend ? suspended : resumed, wallMs);
    if (conditions === before) return status;
    const [reason, message] = spec.suspend ? ['Suspended', suspended.message] : ['Resumed', resumed.message];
    this.#recorder.event(job, { type: 'Normal', reason, message });
    // Only the time in which it may work counts against its deadline.
    return { ...status, conditions, startTime: spec.suspend ? undefined : timestamp(wallMs) };
  }

  /** Notes the ended pods, lets them go, counts them and, when the last is counted, ends the Job. */
  async #track({ view, read, backoff, counts, status: before }: Pass, ending: Ending | undefined): Promise<void> {
    const { clock, client } = this.#context;
    const tracking = track(view, before, ending);
    const announcement: JobStatus = ending
      ? { ...tracking.status, conditions: announced(tracking.status, ending, clock.now()) }
      : tracking.status;
    let job = await this.#write(read, announcement);
    if (job !== read) this.#backoffs.set(keyOf(read), backoff);
    const released = new Set<string>();
    const error = await failureOf(
      allOf(
        tracking.toRelease.map(async (pod) => {
          await releasePod(client, pod);
          released.add(pod.metadata.uid);
        }),
      ),
    );
    const tracked = view.pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid));
    const counted = settled(job.status, new Set(tracked.map(({ metadata }) => metadata.uid)));
    const isOver =
      ending && error === undefined && !tracking.hasMore && isAllCounted(counted) && counts.terminating === 0;
    job = await this.#write(job, isOver ? finished(counted, ending, clock.now()) : counted);
    if (isOver) this.#reportEnd(job, ending);
    if (error !== undefined) throw error;
  }

  /** The Job as it is then; the same one when there is nothing to write. */
  async #write(job: Job, status: JobStatus): Promise<Job> {
    const next = normalised(status);
    if (equalJson(next, job.status)) return job;
    return this.#context.client.update(Job, { ...job, status: next }, { subresource: 'status' });
  }

  #reportEnd(job: Job, { outcome, reason, message }: Ending): void {
    const { spec, status } = job;
    if (outcome === 'Failed') {
      this.#recorder.event(job, { type: 'Warning', reason, message });
      return;
    }
    if (spec.completions !== undefined && (status.succeeded ?? 0) > spec.completions) {
      this.#recorder.event(job, {
        type: 'Warning',
        reason: 'TooManySucceededPods',
        message: 'Too many succeeded pods running after completion count reached',
      });
    }
    this.#recorder.event(job, { type: 'Normal', reason: 'Completed', message: 'Job completed' });
  }
}

/** One pass over one Job. */
interface Pass {
  readonly view: View;
  /** As it was when the pass began. */
  readonly read: Job;
  readonly backoff: Backoff;
  readonly counts: Counts;
  readonly status: JobStatus;
}

/** A Job that rests has not started. */
function started(job: Job, wallMs: number): Job {
  const { status, spec } = job;
  if (status.startTime !== undefined || spec.suspend) return job;
  return { ...job, status: { ...status, startTime: timestamp(wallMs) } };
}

function announced(status: JobStatus, ending: Ending, wallMs: number): JobStatus['conditions'] {
  const { reason, message } = ending;
  const statement = { type: announcementOf(ending), status: 'True', reason, message } as const;
  return withCondition(status.conditions ?? [], statement, wallMs);
}

function finished(status: JobStatus, { outcome, reason, message }: Ending, wallMs: number): JobStatus {
  const statement = { type: outcome, status: 'True', reason, message } as const;
  return {
    ...status,
    conditions: withCondition(status.conditions ?? [], statement, wallMs),
    ...(outcome === 'Complete' ? { completionTime: timestamp(wallMs) } : {}),
  };
}

const failureOf = (work: Promise<void>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
