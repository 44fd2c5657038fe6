/**
 * The manager runs an operator: it connects, watches, works and stops in that order, and cleans up behind itself.
 *
 * Start: probes and metrics, watches, workers. Stop: no new work, running reconciles finish (or are ended after the
 * grace period), Events are sent, watches and servers close. A kind that cannot be watched is reported and retried; only
 * the controllers that declare it wait.
 */
import {
  type ClusterConfig,
  connect,
  createClient,
  createEventRecorder,
  createSharedInformers,
  type Informer,
} from '@keelson/client';
import type { Clock, Operator, Random, Transport } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { AppliedState } from './applied.ts';
import { createCaches } from './caches.ts';
import { ControlLoop } from './control-loop.ts';
import type { Controller } from './controller.ts';
import { healthRoutes, problemOf } from './health.ts';
import { type HttpServer, type ListenOptions, listen, type Routes } from './http-server.ts';
import { jsonLogger } from './log.ts';
import type { Logger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { aborted, type StopSchedule, stopSchedule } from './stop-schedule.ts';

export interface ManagerOptions {
  /** The cluster to work on. Not needed when a transport is given. */
  readonly config?: ClusterConfig;
  /** The way to an API server, instead of `config`; the caller disposes it. */
  readonly transport?: Transport;
  /** Where probes are answered, `false` for nowhere. @default port 8081 */
  readonly health?: ListenOptions | false;
  /** Where metrics are read, `false` for nowhere. @default port 8080 */
  readonly metrics?: ListenOptions | false;
  /**
   * How long a stop may take in all; a pod has 30 seconds. Running reconciles have four fifths of it to finish, then their
   * signal is aborted. @default 25_000
   */
  readonly gracePeriodMs?: number;
  /** @default JSON lines on standard error */
  readonly logger?: Logger;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
}

export interface Manager {
  /** Runs until the signal is aborted and everything has stopped. Rejects when it cannot start. */
  start(signal: AbortSignal): Promise<void>;
}

export function createManager(operator: Operator<Controller>, options: ManagerOptions = {}): Manager {
  const { clock = systemClock, random = systemRandom } = options;
  const { logger = jsonLogger({ name: operator.name, clock }) } = options;
  return {
    async start(signal) {
      const gracePeriodMs = options.gracePeriodMs ?? 25_000;
      using schedule = stopSchedule(signal, clock, gracePeriodMs);
      const working = work(signal, schedule);
      const isOver = await Promise.race([working.then(() => true), aborted(schedule.all).then(() => false)]);
      if (!isOver) {
        void working.catch((error: unknown) => logger.error('The stop failed after it was given up', { error }));
        throw new Error(`The operator did not stop within ${gracePeriodMs / 1000} s.`);
      }
      logger.info('Stopped');
    },
  };

  async function work(signal: AbortSignal, schedule: StopSchedule): Promise<void> {
    await using transport = borrowed(options) ?? connectTo(options, operator, clock);
    const metrics = createMetrics({ clock, host: options.config ? new URL(options.config.server).host : '' });
    const client = createClient({
      transport,
      clock,
      random,
      fieldManager: operator.name,
      metrics: metrics.requests,
      onWarning: (warning) => logger.warn('The API server warns', { warning }),
    });
    await using informers = createSharedInformers({
      client,
      clock,
      random,
      onError: (error, informer) => reportWatch(logger, error, informer),
    });
    await using recorder = createEventRecorder({
      client: client.with({ signal: schedule.requests }),
      controller: operator.name,
      clock,
      random,
      onError: (error) => logger.warn('An Event could not be recorded', { error }),
    });
    const applied = new AppliedState(operator.name);
    const loops = operator.controllers.map((controller) => {
      const { group, kind } = controller.for;
      return new ControlLoop({
        controller,
        client: client.with({ onWritten: (write) => informers.overlay(write) }),
        caches: createCaches(controller, informers, operator.name),
        applied,
        recorder,
        logger: logger.with({ controller: controller.name, controllerGroup: group, controllerKind: kind }),
        metrics: metrics.controller(controller.name),
        clock,
      });
    });
    await using _health = await serve(
      'health',
      healthRoutes(() => informers.all),
      options.health,
      8081,
      logger,
    );
    const metricsRoutes: Routes = {
      '/metrics': async () => ({
        status: 200,
        contentType: metrics.registry.contentType,
        body: await metrics.registry.metrics(),
      }),
    };
    await using _metrics = await serve('metrics', metricsRoutes, options.metrics, 8080, logger);

    const finished = Promise.all(loops.map((loop) => loop.run(signal)));
    await orForced(finished, loops, schedule);
  }

  /** Waits for the end of all passes; those that outlive the grace period are aborted, and then given up. */
  async function orForced(
    finished: Promise<unknown>,
    loops: readonly ControlLoop[],
    { passes, patience }: StopSchedule,
  ): Promise<void> {
    const abort = () => {
      for (const loop of loops) loop.abort(new Error('The operator stopped before this pass had finished.'));
    };
    passes.addEventListener('abort', abort, { once: true });
    const givenUp = aborted(patience).then(() => {
      const names = loops.flatMap((loop) => loop.unsettled);
      const what = names.length === 1 ? 'One pass' : `${names.length} passes`;
      throw new Error(`${what} did not stop although the signal was aborted: ${names.join(', ')}.`);
    });
    await Promise.race([finished, givenUp]);
  }
}

/** A transport that the caller keeps: leaving the scope must not close it. */
function borrowed({ transport }: ManagerOptions): Transport | undefined {
  if (transport === undefined) return undefined;
  return { request: (request) => transport.request(request), async [Symbol.asyncDispose]() {} };
}

function connectTo({ config }: ManagerOptions, operator: Operator, clock: Clock): Transport {
  if (config === undefined) throw new TypeError('createManager: give it a config or a transport');
  return connect(config, { userAgent: operator.name, clock });
}

async function serve(
  what: string,
  routes: Routes,
  options: ListenOptions | false | undefined,
  port: number,
  logger: Logger,
): Promise<HttpServer | undefined> {
  if (options === false) return undefined;
  const server = await listen(what, routes, options ?? { port });
  logger.info('starting server', { name: what, addr: `${options?.host ?? '[::]'}:${server.port}` });
  return server;
}

function reportWatch(logger: Logger, error: Error, { kind, health }: Informer): void {
  // An informer also reports what a handler threw; only its own last error is about the watch.
  if (health.lastError === error)
    logger.warn(`${kind.kind} cannot be watched; trying again`, { problem: problemOf(health), error });
  else logger.error(`Something failed at a change of ${kind.kind}`, { error });
}
