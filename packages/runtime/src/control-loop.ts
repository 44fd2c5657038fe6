/**
 * One controller at work: watch events become keys, keys wait in a queue, workers reconcile them one by one.
 *
 * Promises: an object is reconciled by at most one worker; a change during a reconcile leads to another one; a failure is
 * retried with growing delay until it succeeds or the object is gone; nothing begins before all watches are complete.
 * Does not: reconcile an object that is being deleted, or tell a reconciler why it was called.
 */
import { type Client, createWorkQueue, type EventRecorder, type WorkQueue } from '@keelson/client';
import {
  type Clock,
  type Declaration,
  isConflict,
  isNotControlled,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  ownedKinds,
} from '@keelson/core';
import type { AppliedState } from './applied.ts';
import type { Caches } from './caches.ts';
import type { Events, ReconcileContext } from './context.ts';
import type { Controller } from './controller.ts';
import type { Logger } from './logger.ts';
import { causeOf, controllerKey, mappedKeys, statesOf } from './mapping.ts';
import type { ControllerMetrics } from './metrics.ts';
import { isTerminal, type Outcome } from './outcome.ts';
import { createOwned } from './owned.ts';
import { createStatusWriter } from './status-writer.ts';

export interface ControlLoopOptions {
  readonly controller: Controller;
  readonly client: Client;
  readonly caches: Caches;
  readonly applied: AppliedState;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
}

/** Existing objects at the start wait behind what changes now. */
const initialPriority = -100;

/** Causes that are kept for one log line; a storm of events must not become a storm of memory. */
const keptCauses = 10;

export class ControlLoop {
  readonly #options: ControlLoopOptions;
  readonly #queue: WorkQueue;
  readonly #causes = new Map<NamespacedName, string[]>();
  /** Objects in the way (`Deployment default/cache`), and who waits for them to go. */
  readonly #inTheWay = new Map<string, Set<NamespacedName>>();
  readonly #work = new AbortController();

  constructor(options: ControlLoopOptions) {
    this.#options = options;
    this.#queue = createWorkQueue({ clock: options.clock, metrics: options.metrics.queue });
    options.metrics.observe(this.#queue);
  }

  /** Works until `signal` is aborted, then lets running reconciles finish. Resolves when the last one has. */
  async run(signal: AbortSignal): Promise<void> {
    const { controller, caches, logger, metrics } = this.#options;
    logger.info('Starting Controller');
    this.#subscribe(signal);
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await Promise.race([stopped, Promise.all(caches.informers.map(({ synced }) => synced))]);
    if (signal.aborted) return;
    logger.info('Starting workers', { 'worker count': controller.concurrency });
    metrics.setConcurrency(controller.concurrency);
    const workers = Array.from({ length: controller.concurrency }, () => this.#worker());
    await stopped;
    logger.info('Stopping workers');
    // Keys that wait are not lost: whoever runs next lists everything.
    this.#queue.shutDown();
    await Promise.all(workers);
  }

  /** Ends running reconciles as well: their signal is aborted, and so are their requests. */
  abort(reason: Error): void {
    this.#work.abort(reason);
  }

  #subscribe(signal: AbortSignal): void {
    const { controller, caches, applied } = this.#options;
    const { declaration } = controller;
    caches.informer(declaration.for).subscribe(
      (event) => {
        this.#enqueue(keyOf(event.object), causeOf(event), event.type === 'added' && event.initial);
        if (event.type === 'deleted') applied.forget(event.object.metadata.uid);
      },
      { signal },
    );
    for (const kind of ownedKinds(declaration)) {
      caches.informer(kind).subscribe(
        (event) => {
          const initial = event.type === 'added' && event.initial;
          for (const object of statesOf(event)) {
            for (const key of controllerKey(declaration.for, object)) this.#enqueue(key, causeOf(event), initial);
          }
          for (const key of this.#waitingFor(event.object)) this.#enqueue(key, causeOf(event), false);
          if (event.type === 'deleted') applied.forget(event.object.metadata.uid);
        },
        { signal },
      );
    }
    for (const watch of declaration.watches ?? []) {
      caches.informer(watch.watch).subscribe(
        (event) => {
          const initial = event.type === 'added' && event.initial;
          for (const object of statesOf(event)) {
            for (const key of mappedKeys(declaration.for, watch, object)) this.#enqueue(key, causeOf(event), initial);
          }
        },
        { signal },
      );
    }
  }

  #enqueue(key: NamespacedName, cause: string, initial: boolean): void {
    const causes = this.#causes.get(key) ?? [];
    if (causes.length < keptCauses && !causes.includes(cause)) this.#causes.set(key, [...causes, cause]);
    this.#queue.add(key, initial ? { priority: initialPriority } : {});
  }

  #waitingFor(object: KubernetesObject): readonly NamespacedName[] {
    const id = `${object.kind} ${keyOf(object)}`;
    const waiting = [...(this.#inTheWay.get(id) ?? [])];
    this.#inTheWay.delete(id);
    return waiting;
  }

  async #worker(): Promise<void> {
    for (;;) {
      const item = await this.#queue.get();
      if (item === undefined) return;
      try {
        await this.#process(item.key);
      } finally {
        this.#queue.done(item.key);
      }
    }
  }

  async #process(key: NamespacedName): Promise<void> {
    const { controller, caches, metrics, logger: parent } = this.#options;
    const { for: kind } = controller.declaration;
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    const [first = '', second] = key.split('/');
    const logger = parent.with({ namespace: second === undefined ? undefined : first, name: second ?? first });
    const object = caches.store(kind).get(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      logger.debug(`${kind.kind} is deleted or being deleted; what it owns goes with it`);
      this.#queue.forget(key);
      return;
    }
    logger.debug(`Reconciling ${kind.kind}`, { causes });
    const finish = metrics.begin();
    try {
      const outcome = await this.#reconcile(object, logger);
      this.#queue.forget(key);
      if (outcome.type === 'requeue') {
        this.#causes.set(key, ['requeue']);
        this.#queue.addAfter(key, outcome.afterMs);
      }
      finish(outcome.type === 'requeue' ? 'requeue_after' : 'success');
    } catch (error) {
      finish(await this.#failed(key, object, error, logger));
    }
  }

  async #reconcile(object: KubernetesObject, logger: Logger): Promise<Outcome> {
    const { controller, client: unbound, caches } = this.#options;
    const { signal } = this.#work;
    const client = unbound.with({ signal });
    const { for: kind } = controller.declaration;
    const context: ReconcileContext<Declaration> = {
      cache: caches,
      client,
      owned: createOwned({ ...this.#options, client, logger, ownerKind: kind, owner: object }),
      status: createStatusWriter({ ...this.#options, client, kind, object }),
      events: this.#eventsOf(object),
      logger,
      signal,
    };
    return controller.reconcile(object as never, context as never);
  }

  /** Decides what becomes of a failed key; returns the result under which it is counted. */
  async #failed(
    key: NamespacedName,
    object: KubernetesObject,
    error: unknown,
    logger: Logger,
  ): Promise<'error' | 'terminal' | 'requeue'> {
    if (this.#work.signal.aborted) return 'requeue';
    if (isNotControlled(error)) this.#waitFor(`${error.object.kind} ${error.object.key}`, key);
    // Someone wrote in between: that write's event is on its way, and there is nothing to tell a user.
    if (isConflict(error)) {
      this.#retry(key);
      logger.debug('Conflict; reading again', { error });
      return 'requeue';
    }
    await this.#report(object, error, logger);
    if (isTerminal(error)) {
      this.#queue.forget(key);
      logger.error('Reconciler error; not retried until the object changes', { error });
      return 'terminal';
    }
    logger.error('Reconciler error', { error, retryInMs: this.#retry(key) });
    return 'error';
  }

  #retry(key: NamespacedName): number {
    this.#causes.set(key, ['retry']);
    return this.#queue.addRateLimited(key);
  }

  #waitFor(id: string, key: NamespacedName): void {
    const waiting = this.#inTheWay.get(id) ?? new Set();
    this.#inTheWay.set(id, waiting.add(key));
  }

  async #report(object: KubernetesObject, error: unknown, logger: Logger): Promise<void> {
    const { controller, client } = this.#options;
    if (controller.onError === undefined) return;
    const { for: kind } = controller.declaration;
    try {
      const status = controller.onError(object as never, error, { events: this.#eventsOf(object) });
      if (status === undefined) return;
      const bound = client.with({ signal: this.#work.signal });
      await createStatusWriter({ ...this.#options, client: bound, kind, object }).apply(status);
    } catch (failure) {
      logger.error('The error could not be written to the status', { error: failure });
    }
  }

  #eventsOf(object: KubernetesObject): Events {
    const { recorder } = this.#options;
    return {
      normal: (reason, message) => recorder.event(object, { type: 'Normal', reason, message }),
      warning: (reason, message) => recorder.event(object, { type: 'Warning', reason, message }),
    };
  }
}
