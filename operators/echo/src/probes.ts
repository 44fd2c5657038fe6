/** What the process serves: metrics under the names of client-go, controller-runtime and our engine, and probes. */
import { createServer, type RequestListener } from 'node:http';
import type { Informer } from '@keelson/client';
import { resourceNameOf } from '@keelson/core';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EchoObserver } from './run-echo-operator.ts';

/** Counts what happens, and knows whether the caches are there. */
export interface Observations {
  readonly observer: EchoObserver;
  readonly registry: Registry;
  /** Kinds whose cache is not there yet. */
  waitingFor(): readonly string[];
}

export function createObservations(leaseName: string): Observations {
  const registry = new Registry();
  const registers = [registry];
  const labels = { name: 'echo' };
  const queue = { labelNames: ['name'], registers };
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that wait for a worker', ...queue });
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys that began to wait', ...queue });
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Keys that were added with a delay', ...queue });
  const waited = new Histogram({ name: 'workqueue_queue_duration_seconds', help: 'How long a key waited', ...queue });
  const worked = new Histogram({ name: 'workqueue_work_duration_seconds', help: 'How long a pass took', ...queue });
  const passes = new Counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Passes by kind and result',
    labelNames: ['controller', 'result'],
    registers,
  });
  const errors = new Counter({
    name: 'controller_runtime_reconcile_errors_total',
    help: 'Passes that failed',
    labelNames: ['controller'],
    registers,
  });
  const master = new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this replica leads, else 0',
    labelNames: ['name'],
    registers,
  });
  // A counter that appears with its first error hides that error from rate().
  for (const controller of ['echo', 'scheduledecho']) {
    for (const result of ['success', 'error']) passes.inc({ controller, result }, 0);
    errors.inc({ controller }, 0);
  }
  master.set({ name: leaseName }, 0);
  let informers: readonly Informer[] = [];
  const watched = (name: string, help: string, measure: (informer: Informer) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['resource'],
      registers,
      collect() {
        for (const informer of informers) this.set({ resource: resourceNameOf(informer.kind) }, measure(informer));
      },
    });
  watched('keelson_watch_degraded', '1 while the last attempt to list or watch failed, else 0', ({ health }) =>
    Number(health.lastError !== undefined),
  );
  watched('keelson_cache_objects', 'Objects in the cache', ({ store }) => store.size);
  const pending = new Set<string>();
  return {
    registry,
    waitingFor: () => (informers.length === 0 ? ['everything'] : [...pending]),
    observer: {
      queue: {
        added: () => adds.inc(labels),
        depth: (_, value) => depth.set(labels, value),
        taken: (ms) => waited.observe(labels, ms / 1000),
        done: (ms) => worked.observe(labels, ms / 1000),
        retried: () => retries.inc(labels),
      },
      pass(kind, error) {
        const controller = kind.toLowerCase();
        passes.inc({ controller, result: error === undefined ? 'success' : 'error' });
        if (error !== undefined) errors.inc({ controller });
      },
      leading: (isLeading) => master.set({ name: leaseName }, isLeading ? 1 : 0),
      informers(all) {
        informers = all;
        for (const { kind, synced } of all) {
          pending.add(kind.kind);
          void synced.then(
            () => pending.delete(kind.kind),
            () => {},
          );
        }
      },
    },
  };
}

/** Answers at `path` with the metrics. */
export const metricsHandler =
  ({ registry }: Observations, path: string): RequestListener =>
  (request, response) => {
    if (request.url?.split('?')[0] !== path) return void response.writeHead(404).end('not found\n');
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  };

/** `/healthz`: the process answers. `/readyz`: its caches are there; a replica that stands by is ready too. */
export const healthHandler =
  (observations: Observations): RequestListener =>
  (request, response) => {
    const path = request.url?.split('?')[0];
    const waiting = path === '/readyz' ? observations.waitingFor() : [];
    if (path !== '/healthz' && path !== '/readyz') response.writeHead(404).end('not found\n');
    else if (waiting.length > 0) response.writeHead(503).end(`waiting for the cache of ${waiting.join(', ')}\n`);
    else response.writeHead(200).end('ok\n');
  };

/** Serves on a port of all interfaces; 0 chooses one. */
export async function serve(
  port: number,
  handler: RequestListener,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 }, handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
