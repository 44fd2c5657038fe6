/**
 * Metrics under controller-runtime's and client-go's names, so that existing dashboards and alerts work.
 *
 * Each manager has a registry of its own; nothing is global.
 */
import type { QueueMetrics, RequestMetrics, WorkQueue } from '@keelson/client';
import type { Clock } from '@keelson/core';
import type { Registry } from 'prom-client';
import { promClient } from '../late-modules.ts';

type Result = 'success' | 'error' | 'terminal' | 'requeue' | 'requeue_after';

/** What one controller counts. */
export interface ControllerMetrics {
  readonly queue: QueueMetrics;
  /** Reads the queue's running work whenever metrics are collected. */
  observe(queue: Pick<WorkQueue, 'inProgress'>): void;
  setConcurrency(workers: number): void;
  /** An object began to be reconciled without getting anywhere. */
  storm(): void;
  /** Reads how many objects are slowed for that whenever metrics are collected. */
  observeStorms(storms: { readonly count: number }): void;
  /** A pass took longer than it may. */
  timedOut(): void;
  /** A reconcile began; call what is returned when it has ended. */
  begin(): (result: Result) => void;
}

export interface LeaderMetrics {
  leads(lease: string, isLeading: boolean): void;
}

export interface Metrics {
  readonly leader: LeaderMetrics;
  readonly registry: Registry;
  readonly requests: RequestMetrics;
  controller(name: string): ControllerMetrics;
}

/** 5 ms to 60 s, as controller-runtime has them. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** 10 ns to 1000 s by tens, as client-go has them. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** 5 ms to 60 s, as client-go has them. */
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/** `host` is the API server's, for the request metrics. */
export function createMetrics({ clock, host }: { readonly clock: Clock; readonly host: string }): Metrics {
  const { Counter, Gauge, Histogram, Registry } = promClient();
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });

  const total = counter('controller_runtime_reconcile_total', 'Reconciles by result', 'controller', 'result');
  const errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed', 'controller');
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Failures that are not retried',
    'controller',
  );
  const timeouts = counter('controller_runtime_reconcile_timeouts_total', 'Passes that took too long', 'controller');
  const time = histogram(
    'controller_runtime_reconcile_time_seconds',
    'Duration of a reconcile',
    reconcileBuckets,
    'controller',
  );
  const active = gauge('controller_runtime_active_workers', 'Workers that reconcile now', 'controller');
  const workers = gauge('controller_runtime_max_concurrent_reconciles', 'Workers of a controller', 'controller');

  const depth = gauge('workqueue_depth', 'Keys that wait for a worker', 'name', 'controller', 'priority');
  const adds = counter('workqueue_adds_total', 'Keys that began to wait', 'name', 'controller');
  const retries = counter('workqueue_retries_total', 'Keys that were added with a delay', 'name', 'controller');
  const waited = histogram(
    'workqueue_queue_duration_seconds',
    'How long a key waited',
    queueBuckets,
    'name',
    'controller',
  );
  const worked = histogram(
    'workqueue_work_duration_seconds',
    'How long a key was worked on',
    queueBuckets,
    'name',
    'controller',
  );
  const queues = new Map<string, Pick<WorkQueue, 'inProgress'>>();
  const age = (name: string, help: string, field: 'unfinishedMs' | 'longestMs') =>
    new Gauge({
      name,
      help,
      labelNames: ['name', 'controller'],
      registers,
      collect() {
        for (const [controller, queue] of queues)
          this.set({ name: controller, controller }, queue.inProgress()[field] / 1000);
      },
    });
  age('workqueue_unfinished_work_seconds', 'Age of all running work together', 'unfinishedMs');
  age('workqueue_longest_running_processor_seconds', 'Age of the oldest running work', 'longestMs');
  const storms = counter('keelson_reconcile_storms_total', 'Objects that began to reconcile in vain', 'controller');
  const slowed = new Map<string, { readonly count: number }>();
  new Gauge({
    name: 'keelson_reconcile_slowed_objects',
    help: 'Objects that are slowed because they reconcile in vain',
    labelNames: ['controller'],
    registers,
    collect() {
      for (const [controller, { count }] of slowed) this.set({ controller }, count);
    },
  });
  const requests = counter('rest_client_requests_total', 'Requests to the API server', 'code', 'host', 'method');
  const durations = histogram(
    'rest_client_request_duration_seconds',
    'How long a request took; a watch until its answer began',
    requestBuckets,
    'verb',
    'host',
  );
  const master = gauge('leader_election_master_status', '1 while this replica leads, else 0', 'name');

  return {
    registry,
    leader: { leads: (name, isLeading) => master.set({ name }, isLeading ? 1 : 0) },
    requests: {
      finished({ code, method, durationMs }) {
        requests.inc({ code, host, method });
        durations.observe({ verb: method, host }, durationMs / 1000);
      },
    },
    controller(controller) {
      const labels = { name: controller, controller };
      // A counter that appears with its first error hides that error from rate().
      for (const result of ['success', 'error', 'requeue', 'requeue_after']) total.inc({ controller, result }, 0);
      for (const each of [storms, errors, terminal, timeouts]) each.inc({ controller }, 0);
      for (const each of [adds, retries]) each.inc(labels, 0);
      return {
        queue: {
          added: () => adds.inc(labels),
          depth: (priority, keys) => depth.set({ ...labels, priority }, keys),
          taken: (ms) => waited.observe(labels, ms / 1000),
          done: (ms) => worked.observe(labels, ms / 1000),
          retried: () => retries.inc(labels),
        },
        storm: () => storms.inc({ controller }),
        observeStorms: (observed) => void slowed.set(controller, observed),
        observe: (queue) => void queues.set(controller, queue),
        setConcurrency: (n) => workers.set({ controller }, n),
        timedOut: () => timeouts.inc({ controller }),
        begin() {
          const begun = clock.monotonic();
          active.inc({ controller });
          return (result) => {
            active.dec({ controller });
            time.observe({ controller }, (clock.monotonic() - begun) / 1000);
            total.inc({ controller, result: result === 'terminal' ? 'error' : result });
            if (result === 'error' || result === 'terminal') errors.inc({ controller });
            if (result === 'terminal') terminal.inc({ controller });
          };
        },
      };
    },
  };
}
