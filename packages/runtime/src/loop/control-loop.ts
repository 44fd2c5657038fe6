/**
 * One controller at work: watch events become keys, keys wait for their turn, workers reconcile them one by one.
 *
 * Promises: an object is reconciled by at most one worker; a change during a reconcile leads to another one; a failure is
 * retried with growing delay until it succeeds or the object is gone; nothing begins before all watches are complete. A
 * pass that outlives its time frees its worker, and its object waits until it has come to rest.
 * An object that is being deleted is finalized where its controller says how, in the same queue and under the same key.
 * What a pass reports is written when it has succeeded, before the next pass over that object and beside those over others.
 * Does not: reconcile an object that is being deleted, or tell a reconciler why it was called.
 */
import type { Client, EventRecorder, WorkItem } from '@keelson/client';
import {
  type Clock,
  isConflict,
  isInvalid,
  isNotControlled,
  isNotFound,
  type KubernetesObject,
  keyOf,
  type NamespacedName,
  parseKey,
  type Random,
  resourceNameOf,
} from '@keelson/core';
import { type Caches, isAbsentKind, requiredCachesSynced } from '../cache/caches.ts';
import { isOfFormerSelf } from '../cache/mapping.ts';
import { problemOf } from '../cache/watch-problem.ts';
import type { Controller } from '../controller/controller.ts';
import { checkedOutcome, done, isTerminal, type Outcome } from '../controller/outcome.ts';
import { runSources } from '../controller/sources.ts';
import type { Logger } from '../log/logger.ts';
import { errorOf } from '../log/thrown.ts';
import type { ControllerMetrics } from '../metrics/metrics.ts';
import type { NoOpApplies } from '../owned/no-op-apply.ts';
import type { ObjectStatus } from '../owned/status-writer.ts';
import type { Storm, Storms } from '../storms/storms.ts';
import { type Attribute, type Tracer, traced } from '../tracing.ts';
import { ensureFinalizer, type Finalized, removeFinalizer, type Step, stepFor } from './deletion.ts';
import { isMistake, type Mistake } from './mistakes.ts';
import { isPassTimeout, Pass } from './pass.ts';
import { contextOf, reportedStatus, reportFailure } from './pass-context.ts';
import { refusalHint } from './refusal-hint.ts';
import { keepResyncing } from './resync.ts';
import { StatusEchoes } from './status-echoes.ts';
import { type StatusReport, StatusReports } from './status-reports.ts';
import { reportedStorms } from './storm-report.ts';
import { type SubscriptionsOptions, subscribeMapped, subscribeOwn } from './subscriptions.ts';
import { WakeUps } from './wake-ups.ts';

export interface ControlLoopOptions {
  readonly controller: Controller;
  readonly client: Client;
  readonly caches: Caches;
  readonly applied: NoOpApplies;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly metrics: ControllerMetrics;
  readonly tracer: Tracer | undefined;
  /** Whether causes are told at info level. */
  readonly logCauses: boolean;
  /** What the author declared and whoever runs the operator chose. */
  readonly settings: unknown;
  readonly clock: Clock;
  readonly random: Random;
  /** Whether nothing is written. @default false */
  readonly isPlan?: boolean | undefined;
  /** Hears of storms beside log, metrics and Events. */
  readonly onStorm?: ((storm: Storm) => void) | undefined;
  /** Hears how each pass ended. */
  readonly onPass?: ((pass: PassEnd) => void) | undefined;
  /** Hears of mistakes of the author's code. */
  readonly onMistake?: ((mistake: Mistake) => void) | undefined;
}

/** How a pass over an object ended: with an error, or in order. */
export interface PassEnd {
  /** The name of its controller. */
  readonly controller: string;
  readonly key: NamespacedName;
  /** What it failed with; without, it succeeded, or the object is gone. */
  readonly error?: Error;
}

/** A conflict is not worth a report while the next look at the cluster can settle it. */
export const quietConflicts = 5;

/** For a pass to notice that its signal was aborted. */
export const abortGraceMs = 1000;

const ourDefect = 'The engine failed at an object';

/** One look at an object that is there. */
interface Look {
  readonly item: WorkItem;
  readonly object: KubernetesObject;
  readonly step: Step;
  readonly logger: Logger;
  /** Of its spans. */
  readonly attributes: Record<string, Attribute>;
  readonly finish: ReturnType<ControllerMetrics['begin']>;
}

/** What may run on after a look: a pass that does not heed its end, the write of what it reported. */
interface Looked {
  readonly settled: Promise<unknown>;
}

export class ControlLoop {
  readonly #options: ControlLoopOptions;
  readonly #wakeUps: WakeUps;
  readonly #storms: Storms;
  readonly #echoes = new StatusEchoes();
  readonly #work = new AbortController();
  readonly #reports = new StatusReports();
  /** Reported statuses that are being written. */
  readonly #writing = new Set<Promise<void>>();
  /** Passes that have not come to rest, and what they reported that is being written. */
  readonly #unsettled = new Map<NamespacedName, Promise<unknown>>();

  constructor(options: ControlLoopOptions) {
    this.#options = options;
    const { retry, rateLimit } = options.controller;
    this.#storms = reportedStorms(options);
    this.#wakeUps = new WakeUps({ ...options, retry, rateLimit, waitMs: (key) => this.#storms.waitMs(key) });
  }

  /** Passes that run now: `widget default/a`. */
  get unsettled(): readonly string[] {
    return [...this.#unsettled.keys()].map((key) => `${this.#options.controller.name} ${key}`);
  }

  /** Works until `signal` is aborted, then lets running reconciles finish. Resolves when the last one has. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { controller, caches, logger, metrics } = this.#options;
    for (const { kind } of caches.informers) {
      logger.info('Starting EventSource', { source: `kind source: ${resourceNameOf(kind)}` });
    }
    logger.info('Starting Controller');
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const subscriptions = this.#subscriptions(signal);
    this.#subscribe(subscriptions);
    {
      using _late = this.#reportLateCaches();
      await Promise.race([stopped, requiredCachesSynced(caches)]);
    }
    if (signal.aborted) {
      this.#wakeUps.close();
      return;
    }
    subscribeMapped(subscriptions);
    logger.info('Starting workers', { 'worker count': controller.concurrency });
    metrics.setConcurrency(controller.concurrency);
    const workers = Array.from({ length: controller.concurrency }, () => this.#worker());
    const context = { cache: caches, clock: this.#options.clock, logger, signal };
    const sources = runSources(controller, context, (key, cause) => this.#wakeUps.add(key, cause));
    {
      // Ended before the passes are: one that never ends must not leave a timer of ten hours behind.
      using _resync = keepResyncing(this.#options, (key) => this.#wakeUps.add(key, 'resync', 'initial'));
      await stopped;
    }
    logger.info('Stopping workers');
    this.#wakeUps.close();
    this.#storms.close();
    await Promise.all([...workers, sources]);
    await Promise.all(this.#unsettled.values());
  }

  /** Ends running reconciles as well: their signal is aborted, and so are their requests. */
  abort(reason: unknown): void {
    this.#work.abort(reason);
  }

  /** A watch that never becomes complete is tried for ever; the log should say so. */
  #reportLateCaches(): Disposable {
    const { controller, caches, logger, clock } = this.#options;
    const { cacheSyncTimeoutMs } = controller;
    if (!Number.isFinite(cacheSyncTimeoutMs)) return { [Symbol.dispose]() {} };
    return clock.setTimer(cacheSyncTimeoutMs, () => {
      const missing = caches.informers.filter((each) => !each.health.synced && !isAbsentKind(each));
      const problems = missing.map(
        ({ kind, health }) => `${resourceNameOf(kind)}: ${problemOf(health) ?? 'the first list is not complete'}`,
      );
      logger.error(`The caches are not complete after ${cacheSyncTimeoutMs / 1000} s; the controller waits for them`, {
        problems,
      });
    });
  }

  #subscriptions(signal: AbortSignal): SubscriptionsOptions {
    const wake: SubscriptionsOptions['wake'] = (key, cause, urgency) => this.#wakeUps.add(key, cause, urgency);
    return { ...this.#options, signal, wake };
  }

  #subscribe(subscriptions: SubscriptionsOptions): void {
    const { applied } = this.#options;
    subscribeOwn(subscriptions, {
      onReconciled: (event, wake) => {
        if (event.type === 'updated') this.#echoes.changed(keyOf(event.object), event.previous, event.object, wake);
        else wake();
        if (event.type === 'deleted') applied.forget(event.object.metadata.uid);
      },
      onOwned: ({ type, object }) => {
        for (const key of this.#wakeUps.takeWaitingFor(object))
          this.#wakeUps.add(key, `${object.kind} ${keyOf(object)} ${type}`);
        if (type === 'deleted') applied.forget(object.metadata.uid);
      },
    });
  }

  async #worker(): Promise<void> {
    for (;;) {
      const item = await this.#wakeUps.next();
      if (item === undefined) return;
      const { key } = item;
      let looked: Looked | undefined;
      try {
        looked = await this.#process(item);
      } catch (error) {
        // A reconciler's errors are dealt with below; this is a defect of ours, and the other objects go on.
        this.#options.logger.error(ourDefect, { key, error });
      }
      if (looked === undefined) this.#wakeUps.done(key);
      // No other worker may begin with this object before; the worker goes on with the next one.
      else void looked.settled.then(() => this.#rest(key));
    }
  }

  /** One look at one object. Returns what of it may not have come to rest. */
  async #process(item: WorkItem): Promise<Looked | undefined> {
    const { key } = item;
    const { controller, caches, metrics, tracer, logCauses, logger: parent } = this.#options;
    const { for: kind } = controller;
    const causes = this.#wakeUps.takeCauses(key);
    const logger = parent.with(parseKey(key));
    const object = caches.store(kind).get(key);
    const step = stepFor(object, controller.finalizer);
    if (object === undefined || step === 'nothing') {
      logger.debug(`${kind.kind} is deleted or being deleted; what it owns goes with it`);
      this.#forget(key);
      return undefined;
    }
    const line = `${step === 'reconcile' ? 'Reconciling' : 'Finalizing'} ${kind.kind}`;
    if (logCauses) logger.info(line, { causes });
    else logger.debug(line, { causes });
    const { namespace = '', name } = object.metadata;
    const attributes = { controller: controller.name, namespace, name, causes: [...causes] };
    const look: Look = { item, object, step, logger, attributes, finish: metrics.begin() };
    this.#echoes.begin(key);
    this.#storms.begin(key, object, causes);
    let pass: Pass | undefined;
    try {
      const subject = step === 'reconcile' ? await this.#marked(object) : object;
      if (step === 'finalize') this.#reports.forget(key); // how it was before it had to go
      const current = this.#beginPass(step, key, logger);
      pass = current;
      const context = contextOf(this.#options, {
        key,
        object: subject,
        pass: current,
        logger,
        echoes: this.#echoes,
        storms: this.#storms,
        reports: this.#reports,
      });
      const outcome = await traced(tracer, `${step} ${controller.name}`, attributes, () =>
        this.#perform(step, subject, current, context),
      );
      const report = this.#dueReport(step, key, subject);
      if (report !== undefined) return await this.#reportBeside(look, current, outcome, report);
      this.#conclude(look, outcome);
    } catch (thrown) {
      if (pass !== undefined && isPassTimeout(thrown)) {
        metrics.timedOut();
        this.#reportHanging(pass, logger);
      }
      await this.#giveUp(look, thrown);
    }
    return pass;
  }

  #conclude({ item: { key }, finish }: Look, outcome: Outcome): void {
    finish(this.#succeeded(key, outcome));
    this.#storms.ended(key);
  }

  async #giveUp(look: Look, thrown: unknown): Promise<void> {
    look.finish(await this.#failed(look, errorOf(thrown, look.step)));
  }

  /** What is to be written now of what passes over this object have reported. */
  #dueReport(step: Step, key: NamespacedName, object: KubernetesObject): StatusReport | undefined {
    const report = this.#reports.last(key, object);
    if (report === undefined) return undefined;
    if (!this.#statusFor(key, report).isNews(report.status)) {
      this.#reports.forget(key);
      return undefined;
    }
    // Held once: who looks at the object should not wait longer.
    const mayHold = step === 'reconcile' && !report.wasHeld && this.#wakeUps.letsOthersGoFirst(key);
    if (!mayHold) return report;
    this.#reports.hold(key, report);
    this.#wakeUps.add(key, 'status reported', 'follow-up');
    return undefined;
  }

  #statusFor(key: NamespacedName, report: StatusReport): ObjectStatus {
    const stop = this.#work.signal;
    return reportedStatus(this.#options, { key, report, stop, echoes: this.#echoes, storms: this.#storms });
  }

  /** Writes what was reported while the worker goes on, for as many objects as there are workers. */
  async #reportBeside(look: Look, pass: Pass, outcome: Outcome, report: StatusReport): Promise<Looked> {
    const { controller, logger } = this.#options;
    const { key } = look.item;
    while (this.#writing.size >= controller.concurrency) await Promise.race(this.#writing);
    const write = async () => {
      try {
        await this.#write(look, report);
        this.#reports.forget(key);
        this.#conclude(look, outcome);
      } catch (thrown) {
        if (isInvalid(thrown)) this.#reports.refused(key, report);
        await this.#giveUp(look, thrown);
      }
    };
    const written = write()
      .catch((error: unknown) => logger.error(ourDefect, { key, error }))
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
    const settled = Promise.all([pass.settled, written]);
    this.#unsettled.set(key, settled);
    return { settled };
  }

  async #write({ item: { key }, attributes }: Look, report: StatusReport): Promise<void> {
    const { controller, tracer } = this.#options;
    await traced(tracer, `report ${controller.name}`, attributes, () =>
      this.#statusFor(key, report).apply(report.status),
    );
  }

  #beginPass(step: Step, key: NamespacedName, logger: Logger): Pass {
    const { controller, clock, onMistake } = this.#options;
    const { name, timeoutMs } = controller;
    const pass = new Pass({
      what: `${step} of ${name} ${key}`,
      timeoutMs,
      stop: this.#work.signal,
      clock,
      logger,
      onLateCall: (error) => onMistake?.({ controller: name, key, error }),
    });
    this.#unsettled.set(key, pass.settled);
    return pass;
  }

  async #perform(step: Step, object: KubernetesObject, pass: Pass, context: unknown): Promise<Outcome> {
    const { controller } = this.#options;
    const finalize = step === 'finalize' ? controller.finalize : undefined;
    const answer: unknown = await pass.run(async () =>
      (finalize ?? controller.reconcile)(object as never, context as never),
    );
    if (finalize === undefined) return checkedOutcome(answer, 'reconcile');
    const outcome = answer === undefined ? done : checkedOutcome(answer, 'finalize');
    const finalized = this.#finalized();
    if (outcome.type === 'done' && finalized !== undefined) {
      await this.#writeLast(object);
      await removeFinalizer(object, finalized);
    }
    return outcome;
  }

  /** What the clean-up has reported: afterwards the object may be gone. */
  async #writeLast(object: KubernetesObject): Promise<void> {
    const key = keyOf(object);
    const report = this.#reports.last(key, object);
    if (report !== undefined) await this.#statusFor(key, report).apply(report.status);
    this.#reports.forget(key);
  }

  /** The object as it is once its clean-up is sure to come. */
  async #marked(object: KubernetesObject): Promise<KubernetesObject> {
    const finalized = this.#finalized();
    if (finalized === undefined) return object;
    const marked = await ensureFinalizer(object, finalized);
    this.#echoes.marked(keyOf(object), object, marked);
    return marked;
  }

  #finalized(): Finalized | undefined {
    const { controller, caches } = this.#options;
    const { finalizer } = controller;
    if (finalizer === undefined) return undefined;
    const client = this.#options.client.with({ signal: this.#work.signal });
    return { client, caches, kind: controller.for, finalizer };
  }

  #succeeded(key: NamespacedName, outcome: Outcome): 'success' | 'requeue_after' {
    this.#wakeUps.succeeded(key);
    this.#echoes.succeeded(key);
    this.#passed(key);
    if (outcome.type === 'done') return 'success';
    this.#wakeUps.addAfter(key, outcome.afterMs, 'requeue');
    return 'requeue_after';
  }

  /** The pass has come to rest: others may have the object. */
  #rest(key: NamespacedName): void {
    this.#unsettled.delete(key);
    this.#wakeUps.done(key);
  }

  /** Its time is up and its signal aborted; whoever does not heed that keeps its object waiting. */
  #reportHanging(pass: Pass, logger: Logger): void {
    const { clock } = this.#options;
    const begun = clock.monotonic();
    let isSaid = false;
    const timer = clock.setTimer(abortGraceMs, () => {
      isSaid = true;
      logger.error('A pass that timed out ignores its signal; nothing else is done for this object until it ends');
    });
    void pass.settled.then(() => {
      timer[Symbol.dispose]();
      if (isSaid) logger.info('The pass that timed out has ended', { afterMs: clock.monotonic() - begun });
    });
  }

  /** Decides what becomes of a failed key; returns the result under which it is counted. */
  async #failed(look: Look, error: Error): Promise<'success' | 'error' | 'terminal' | 'requeue'> {
    const { item, object, logger } = look;
    const { key } = item;
    const { for: kind } = this.#options.controller;
    this.#reports.unsay(key);
    if (this.#work.signal.aborted) {
      this.#echoes.forget(key);
      return 'requeue';
    }
    if (isNotControlled(error)) this.#wakeUps.waitFor(error.object, key);
    if (isGoneItself(error, kind.resource, object)) {
      logger.debug(`${kind.kind} was deleted during the pass`);
      this.#forget(key);
      return 'success';
    }
    this.#passed(key, error);
    const isPassing = isConflict(error) && this.#wakeUps.failures(key) < quietConflicts;
    if (isPassing || (isNotControlled(error) && isOfFormerSelf(error, kind, object))) {
      // Someone wrote in between, or what our namesake left is not yet collected: looking again settles it.
      this.#echoes.failed(key);
      this.#wakeUps.retry(item);
      logger.debug('Looking again', { error });
      return 'requeue';
    }
    const stop = this.#work.signal;
    await reportFailure(this.#options, {
      key,
      object,
      error,
      stop,
      logger,
      echoes: this.#echoes,
      storms: this.#storms,
      reports: this.#reports,
    });
    await this.#writeHeld(look);
    this.#echoes.failed(key);
    if (isTerminal(error)) {
      this.#wakeUps.succeeded(key);
      logger.error('Reconciler error; not retried until the object changes', { error });
      return 'terminal';
    }
    const hint = refusalHint(error, this.#options.controller);
    logger.error('Reconciler error', { error, hint, retryInMs: this.#wakeUps.retry(item) });
    return 'error';
  }

  /** What an earlier pass has left to one that failed now; unless the failure itself is told in the status. */
  async #writeHeld(look: Look): Promise<void> {
    const { key } = look.item;
    const held = this.#reports.last(key, look.object);
    if (held === undefined) return;
    try {
      await this.#write(look, held);
      this.#reports.forget(key);
    } catch (error) {
      if (isInvalid(error)) this.#reports.refused(key, held);
      look.logger.error('The status that was reported before could not be written', { error });
    }
  }

  #passed(key: NamespacedName, error?: Error): void {
    const { controller, onPass, onMistake } = this.#options;
    onPass?.({ controller: controller.name, key, ...(error && { error }) });
    if (error !== undefined && isMistake(error)) onMistake?.({ controller: controller.name, key, error });
  }

  #forget(key: NamespacedName): void {
    this.#passed(key);
    this.#wakeUps.forget(key);
    this.#echoes.forget(key);
    this.#storms.forget(key);
    this.#reports.forget(key);
  }
}

/** The server does not know the reconciled object any more: its deletion is on the way to us. */
function isGoneItself(error: unknown, resource: string, { metadata }: KubernetesObject): boolean {
  if (!isNotFound(error)) return false;
  const { kind, name } = error.status.details ?? {};
  return kind === resource && name === metadata.name;
}
