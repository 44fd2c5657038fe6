/**
 * The operator without its process: informers, queue, workers, and an election where there are several replicas.
 *
 * Every replica keeps its caches synced; only the one that leads works, and its writes are refused by its own client
 * when its term could have ended. Losing the Lease ends the work and competes again.
 */
import {
  createClient,
  createEventRecorder,
  createLeaderElection,
  createSharedInformers,
  createWorkQueue,
  type Informer,
  isLeadershipLost,
  type QueueMetrics,
  type Term,
} from '@keelson/client';
import {
  anySignal,
  type Clock,
  controllerOf,
  keyOf,
  type NamespacedName,
  type Random,
  type Transport,
} from '@keelson/core';
import { CronJob, Job, type Job as JobObject } from '@keelson/core/batch/v1';
import { Echo, ScheduledEcho } from './api/v1alpha1.ts';
import { byController, type EchoContext, manager } from './context.ts';
import { runWorkers, type WorkKey } from './control-loop.ts';
import { childLabels } from './desired.ts';
import type { EchoLogger } from './logger.ts';
import { echoOf } from './reconcile-echo.ts';
import { scheduledEchoOf } from './reconcile-scheduled-echo.ts';
import type { Settings } from './settings.ts';

/** Where the operator works, and as what. */
export interface EchoOperatorOptions {
  readonly transport: Transport;
  readonly settings: Settings;
  /** The Deployment of the replicas, `namespace/name`: the Lease goes with it. @default none */
  readonly deployment?: NamespacedName | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: EchoLogger;
  readonly observer?: EchoObserver | undefined;
}

/** What is measured, and what probes ask. All of it is optional. */
export interface EchoObserver {
  readonly queue?: QueueMetrics | undefined;
  /** A pass ended; `error` is what it threw. */
  pass?(kind: string, error?: unknown): void;
  /** Whether this replica leads has changed. */
  leading?(isLeading: boolean): void;
  /** The caches are there, before any work. */
  informers?(all: readonly Informer[]): void;
}

/** Works until the signal is aborted; resolves when the last pass has ended and the Lease is given back. */
export async function runEchoOperator(options: EchoOperatorOptions, signal: AbortSignal): Promise<void> {
  const { transport, settings, deployment, clock, random, logger, observer = {} } = options;
  const client = createClient({ transport, clock, random, fieldManager: manager });
  await using informers = createSharedInformers({
    client,
    clock,
    random,
    onError: (error, { kind }) => logger.warn('A watch failed and is tried again', { kind: kind.kind, error }),
  });
  const children = { labels: childLabels };
  const echos = informers.informer(Echo);
  const scheduledEchos = informers.informer(ScheduledEcho);
  const jobs = informers.informer(Job, { ...children, indexes: { [byController]: controllerUid } });
  const cronJobs = informers.informer(CronJob, { ...children, managedFields: { manager } });
  const all = [echos, scheduledEchos, jobs, cronJobs] as const;
  observer.informers?.(all);

  const work = async (term?: Term) => {
    using either = anySignal([signal, term?.signal]);
    const over = either.signal;
    using patience = lastingAfter(over, clock);
    using last = anySignal([patience.signal, term?.signal]);
    const leading = client.with({
      ...(term && { guard: term.assertCurrent }),
      signal: last.signal,
      onWritten: (write) => informers.overlay(write),
    });
    await using recorder = createEventRecorder({
      client: leading,
      controller: `${Echo.group}/${manager}`,
      instance: settings.ha?.nodeId,
      clock,
      random,
      onError: (error) => logger.debug('An Event was not recorded', { error }),
    });
    const queue = createWorkQueue<WorkKey>({ clock, metrics: observer.queue });
    const add = (kind: 'Echo' | 'ScheduledEcho', key: NamespacedName | undefined) => {
      if (key !== undefined) queue.add(`${kind} ${key}`);
    };
    // Each subscription begins with what is stored, so that a new leader looks at everything once.
    const subscriptions = [
      echos.subscribe(({ object }) => add('Echo', keyOf(object))),
      scheduledEchos.subscribe(({ object }) => add('ScheduledEcho', keyOf(object))),
      jobs.subscribe(({ object }) => add('Echo', echoOf(object))),
      cronJobs.subscribe(({ object }) => add('ScheduledEcho', scheduledEchoOf(object))),
    ];
    const stop = () => void queue.shutDown();
    over.addEventListener('abort', stop, { once: true });
    if (over.aborted) stop();
    try {
      const context: EchoContext = {
        client: leading,
        echos: echos.store,
        jobs: jobs.store,
        scheduledEchos: scheduledEchos.store,
        cronJobs: cronJobs.store,
        clock,
        image: settings.image,
        ttlSecondsAfterFinished: settings.ttlSecondsAfterFinished,
        record: (regarding, event) => recorder.event(regarding, event),
      };
      const onPass = (kind: string, error?: unknown) => observer.pass?.(kind, error);
      logger.info('Working', { workers: settings.numWorkers });
      await runWorkers({ queue, count: settings.numWorkers, context, logger, onPass });
    } finally {
      over.removeEventListener('abort', stop);
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
    }
  };

  await synced(all, signal);
  if (signal.aborted) return;
  logger.info('The caches are synced');
  if (settings.ha === undefined) {
    observer.leading?.(true);
    return await work();
  }
  const { nodeId, leaseName, ...times } = settings.ha;
  const election = createLeaderElection({
    client,
    lease: `${settings.namespace}/${leaseName}`,
    identity: nodeId,
    deployment,
    ...times,
    clock,
    random,
    onLeader: (leader) => logger.info('Another leader', { leader: leader ?? 'nobody' }),
    onError: (error) => logger.warn('The election goes on after a failure', { error }),
  });
  while (!signal.aborted) {
    const term = await election.win(signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (term === undefined) return;
    await using held = term;
    logger.info('This replica leads', { nodeId });
    observer.leading?.(true);
    try {
      await work(held);
    } catch (error) {
      if (!isLeadershipLost(error)) throw error;
    } finally {
      observer.leading?.(false);
    }
    if (!signal.aborted) logger.warn('The Lease is lost, and this replica competes again', { nodeId });
  }
}

/** How long running passes may take when it is time to stop: less than the 30 s that a pod has. */
const graceMs = 15_000;

/** A signal that is aborted some time after the given one. */
function lastingAfter(over: AbortSignal, clock: Clock): Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController();
  let timer: Disposable | undefined;
  const begin = () => {
    timer = clock.setTimer(graceMs, () => end.abort(new Error(`passes did not end within ${graceMs / 1000} s`)));
  };
  if (over.aborted) begin();
  else over.addEventListener('abort', begin, { once: true });
  return {
    signal: end.signal,
    [Symbol.dispose]() {
      over.removeEventListener('abort', begin);
      timer?.[Symbol.dispose]();
    },
  };
}

const controllerUid = (job: JobObject): readonly string[] => {
  const controller = controllerOf(job);
  return controller === undefined ? [] : [controller.uid];
};

/** Settles when all caches are there, or when it is time to stop. */
async function synced(informers: readonly { readonly synced: Promise<void> }[], signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([Promise.all(informers.map((each) => each.synced)), aborted]);
}
