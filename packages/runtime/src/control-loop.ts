/**
 * One controller at work: watch events become keys, keys wait in a queue, workers reconcile them one by one.
 *
 * Promises: an object is reconciled by at most one worker; a change during a reconcile leads to another one; a failure is
 * retried with growing delay until it succeeds or the object is gone; nothing begins before all watches are complete.
 * Does not: reconcile an object that is being deleted, or tell a reconciler why it was called.
 */
import { type Client, createWorkQueue, type EventRecorder, type WorkItem, type WorkQueue } from '@keelson/client';
import {
  type Clock,
  type Declaration,
  isConflict,
  isNotControlled,
  isNotFound,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  ownedKinds,
  parseKey,
} from '@keelson/core';
import type { AppliedState } from './applied.ts';
import type { Caches } from './caches.ts';
import type { Events, ReconcileContext } from './context.ts';
import type { Controller } from './controller.ts';
import type { Logger } from './logger.ts';
import { causeOf, concernedKeys, controllerKey, isOfFormerSelf, mapperOf } from './mapping.ts';
import type { ControllerMetrics } from './metrics.ts';
import { isTerminal, type Outcome } from './outcome.ts';
import { OwnWrites } from './own-writes.ts';
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

/** A conflict is nobody's business while the next look at the cluster can settle it. */
const quietConflicts = 5;

export class ControlLoop {
  readonly #options: ControlLoopOptions;
  readonly #queue: WorkQueue;
  readonly #ownWrites = new OwnWrites();
  readonly #causes = new Map<NamespacedName, string[]>();
  /** Objects in the way (`Deployment default/cache`), and who waits for them to go. */
  readonly #inTheWay = new Map<string, Set<NamespacedName>>();
  readonly #work = new AbortController();
  #passes = 0;

  constructor(options: ControlLoopOptions) {
    this.#options = options;
    this.#queue = createWorkQueue({ clock: options.clock, metrics: options.metrics.queue });
    options.metrics.observe(this.#queue);
  }

  /** Reconciles that run now. */
  get passes(): number {
    return this.#passes;
  }

  /** Works until `signal` is aborted, then lets running reconciles finish. Resolves when the last one has. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { controller, caches, logger, metrics } = this.#options;
    logger.info('Starting Controller');
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#subscribe(signal);
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
    const { controller, caches, applied, logger } = this.#options;
    const report = (error: unknown) => logger.error('A mapping threw; that change wakes nobody', { error });
    caches.informer(controller.for).subscribe(
      (event) => {
        const key = keyOf(event.object);
        const wake = () => this.#enqueue(key, causeOf(event), event.type === 'added' && event.initial);
        if (event.type === 'updated') this.#ownWrites.changed(key, event.previous, event.object, wake);
        else wake();
        if (event.type === 'deleted') applied.forget(event.object.metadata.uid);
      },
      { signal },
    );
    const owner = (object: KubernetesObject) => controllerKey(controller.for, object);
    for (const kind of ownedKinds(controller)) {
      caches.informer(kind).subscribe(
        (event) => {
          for (const key of concernedKeys(event, owner, report)) this.#enqueue(key, causeOf(event), isInitial(event));
          for (const key of this.#waitingFor(event.object)) this.#enqueue(key, causeOf(event), false);
          if (event.type === 'deleted') applied.forget(event.object.metadata.uid);
        },
        { signal },
      );
    }
    for (const watch of controller.watches ?? []) {
      const map = mapperOf(controller.for, watch);
      caches.informer(watch.watch).subscribe(
        (event) => {
          for (const key of concernedKeys(event, map, report)) this.#enqueue(key, causeOf(event), isInitial(event));
        },
        { signal },
      );
    }
  }

  #enqueue(key: NamespacedName, cause: string, initial: boolean): void {
    this.#noteCause(key, cause);
    this.#queue.add(key, initial ? { priority: initialPriority } : {});
  }

  #noteCause(key: NamespacedName, cause: string): void {
    const causes = this.#causes.get(key) ?? [];
    if (causes.length < keptCauses && !causes.includes(cause)) this.#causes.set(key, [...causes, cause]);
  }

  async #worker(): Promise<void> {
    for (;;) {
      const item = await this.#queue.get();
      if (item === undefined) return;
      this.#passes += 1;
      try {
        await this.#process(item);
      } catch (error) {
        // A reconciler's errors are dealt with below; this is a defect of ours, and the other objects go on.
        this.#options.logger.error('The engine failed at an object', { key: item.key, error });
      } finally {
        this.#passes -= 1;
        this.#queue.done(item.key);
      }
    }
  }

  async #process(item: WorkItem): Promise<void> {
    const { key } = item;
    const { controller, caches, metrics, logger: parent } = this.#options;
    const { for: kind } = controller;
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    const logger = parent.with(parseKey(key));
    const object = caches.store(kind).get(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
      logger.debug(`${kind.kind} is deleted or being deleted; what it owns goes with it`);
      this.#forget(key);
      return;
    }
    logger.debug(`Reconciling ${kind.kind}`, { causes });
    const finish = metrics.begin();
    this.#ownWrites.begin(key);
    try {
      const outcome = await this.#reconcile(key, object, logger);
      this.#queue.forget(key);
      this.#ownWrites.succeeded(key);
      if (outcome.type === 'requeue') {
        this.#noteCause(key, 'requeue');
        this.#queue.addAfter(key, outcome.afterMs);
      }
      finish(outcome.type === 'requeue' ? 'requeue_after' : 'success');
    } catch (error) {
      finish(await this.#failed(item, object, error, logger));
    }
  }

  async #reconcile(key: NamespacedName, object: KubernetesObject, logger: Logger): Promise<Outcome> {
    const { controller, caches } = this.#options;
    const { for: kind } = controller;
    // A signal for this pass alone: whoever listens to it is forgotten with it.
    const pass = new AbortController();
    const onAbort = () => pass.abort(this.#work.signal.reason);
    this.#work.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const client = this.#options.client.with({ signal: pass.signal });
      const context: ReconcileContext<Declaration> = {
        cache: caches,
        client,
        owned: createOwned({ ...this.#options, client, logger, ownerKind: kind, owner: object }),
        status: this.#statusWriter(key, object, client),
        events: this.#eventsOf(object),
        logger,
        signal: pass.signal,
      };
      return await controller.reconcile(object as never, context as never);
    } finally {
      this.#work.signal.removeEventListener('abort', onAbort);
    }
  }

  /** Decides what becomes of a failed key; returns the result under which it is counted. */
  async #failed(
    item: WorkItem,
    object: KubernetesObject,
    error: unknown,
    logger: Logger,
  ): Promise<'success' | 'error' | 'terminal' | 'requeue'> {
    const { key } = item;
    const { for: kind } = this.#options.controller;
    if (this.#work.signal.aborted) {
      this.#ownWrites.forget(key);
      return 'requeue';
    }
    if (isNotControlled(error)) this.#waitFor(`${error.object.kind} ${error.object.key}`, key);
    if (isGoneItself(error, kind.resource, object)) {
      logger.debug(`${kind.kind} was deleted during the pass`);
      this.#forget(key);
      return 'success';
    }
    const isPassing = isConflict(error) && this.#queue.failures(key) < quietConflicts;
    if (isPassing || (isNotControlled(error) && isOfFormerSelf(error, kind, object))) {
      // Someone wrote in between, or what our namesake left is not yet collected: looking again settles it.
      this.#ownWrites.failed(key);
      this.#retry(item);
      logger.debug('Looking again', { error });
      return 'requeue';
    }
    await this.#report(key, object, error, logger);
    this.#ownWrites.failed(key);
    if (isTerminal(error)) {
      this.#queue.forget(key);
      logger.error('Reconciler error; not retried until the object changes', { error });
      return 'terminal';
    }
    logger.error('Reconciler error', { error, retryInMs: this.#retry(item) });
    return 'error';
  }

  #retry({ key, priority }: WorkItem): number {
    this.#noteCause(key, 'retry');
    return this.#queue.addRateLimited(key, { priority });
  }

  #forget(key: NamespacedName): void {
    this.#queue.forget(key);
    this.#ownWrites.forget(key);
    for (const [id, waiting] of this.#inTheWay) {
      if (waiting.delete(key) && waiting.size === 0) this.#inTheWay.delete(id);
    }
  }

  #waitFor(id: string, key: NamespacedName): void {
    const waiting = this.#inTheWay.get(id) ?? new Set();
    this.#inTheWay.set(id, waiting.add(key));
  }

  #waitingFor(object: KubernetesObject): readonly NamespacedName[] {
    const id = `${object.kind} ${keyOf(object)}`;
    const waiting = [...(this.#inTheWay.get(id) ?? [])];
    this.#inTheWay.delete(id);
    return waiting;
  }

  /** Writes the status that the author wants after a failure. Its Events are told once that is done. */
  async #report(key: NamespacedName, object: KubernetesObject, error: unknown, logger: Logger): Promise<void> {
    const { controller, client, caches } = this.#options;
    if (controller.onError === undefined) return;
    const latest = caches.store(controller.for).get(key);
    const subject = latest?.metadata.uid === object.metadata.uid ? latest : object;
    const told: (() => void)[] = [];
    const recorder = this.#eventsOf(object);
    const events: Events = {
      normal: (reason, message) => void told.push(() => recorder.normal(reason, message)),
      warning: (reason, message) => void told.push(() => recorder.warning(reason, message)),
    };
    try {
      const status = controller.onError(subject as never, error, { events });
      if (status !== undefined) {
        await this.#statusWriter(key, object, client.with({ signal: this.#work.signal })).apply(status);
      }
      for (const tell of told) tell();
    } catch (failure) {
      logger.error('The error could not be written to the status', { error: failure });
    }
  }

  #statusWriter(key: NamespacedName, object: KubernetesObject, client: Client) {
    return createStatusWriter({
      ...this.#options,
      client,
      kind: this.#options.controller.for,
      object,
      onWritten: (before, after) => this.#ownWrites.wrote(key, before, after),
    });
  }

  #eventsOf(object: KubernetesObject): Events {
    const { recorder } = this.#options;
    return {
      normal: (reason, message) => recorder.event(object, { type: 'Normal', reason, message }),
      warning: (reason, message) => recorder.event(object, { type: 'Warning', reason, message }),
    };
  }
}

const isInitial = (event: { readonly type: string; readonly initial?: boolean }): boolean => event.initial === true;

/** The server does not know the reconciled object any more: its deletion is on the way to us. */
function isGoneItself(error: unknown, resource: string, { metadata }: KubernetesObject): boolean {
  if (!isNotFound(error)) return false;
  const { kind, name } = error.status.details ?? {};
  return kind === resource && name === metadata.name;
}
