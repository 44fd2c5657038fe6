/**
 * The manager runs an operator: it connects, watches, works and stops in that order, and cleans up behind itself.
 *
 * Start: probes and metrics, webhooks, watches, the election if there is one, workers. Stop: no new work, running reconciles finish
 * (or are ended after the grace period), Events are sent, the lease is given back, watches and servers close. A kind that
 * cannot be watched is reported and retried; only the controllers that declare it wait.
 */
import {
  type Client,
  type ClusterConfig,
  connect,
  createClient,
  createEventRecorder,
  createSharedInformers,
  type EventRecorder,
  type Informer,
  type OwnWrite,
  type SharedInformers,
  type Term,
} from '@keelson/client';
import {
  anySignal,
  type Clock,
  type Operator,
  type Random,
  servesWebhooks,
  type Transport,
  validSettings,
} from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import { createCaches, isAbsentKind } from '../cache/caches.ts';
import { problemOf } from '../cache/watch-problem.ts';
import { followUpKinds } from '../cache/watched-kinds.ts';
import type { EngineOperator } from '../controller/engine-operator.ts';
import type { Task } from '../controller/task.ts';
import { promClient } from '../late-modules.ts';
import { jsonLogger } from '../log/log.ts';
import type { Logger } from '../log/logger.ts';
import type { PassEnd } from '../loop/control-loop.ts';
import type { Mistake } from '../loop/mistakes.ts';
import { observeCertificate } from '../metrics/certificate-metrics.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { metricsAccess } from '../metrics/metrics-access.ts';
import { observeWatches } from '../metrics/watch-metrics.ts';
import { webhookMetrics } from '../metrics/webhook-metrics.ts';
import { NoOpApplies } from '../owned/no-op-apply.ts';
import { planPasses } from '../plan/plan.ts';
import type { PlannedPass } from '../plan/planned-pass.ts';
import { aborted } from '../serving/aborted.ts';
import { type HttpServer, type ListenOptions, listen, type Routes } from '../serving/http-server.ts';
import type { Storm } from '../storms/storms.ts';
import type { Tracer } from '../tracing.ts';
import { runControllers } from './controllers.ts';
import { healthRoutes } from './health.ts';
import { Leadership, type LeadershipOptions } from './leadership.ts';
import { type StopSchedule, stopSchedule } from './stop-schedule.ts';
import { handlerOf, type WebhookDoor, type WebhookListenOptions, webhooksAt } from './webhooks.ts';

/** How an operator runs. */
export interface ManagerOptions {
  /** The cluster to work on. Not needed when a transport is given. */
  readonly config?: ClusterConfig;
  /** The way to an API server, instead of `config`; the caller disposes it. */
  readonly transport?: Transport;
  /** Where probes are answered, `false` for nowhere. @default port 8081 */
  readonly health?: ListenOptions | false;
  /**
   * Where metrics are read, `false` for nowhere. With `tls`, only by those whom the API server lets `get` the path
   * `/metrics`. @default port 8080: without TLS by anybody, or with a certificate of its own where metrics are secure
   */
  readonly metrics?: ListenOptions | false;
  /**
   * Where the API server's calls are answered: over HTTPS, in this process by a function that is given the way in, or
   * `false` for nowhere. @default port 9443, if the operator has webhooks or converts versions
   */
  readonly webhooks?: WebhookListenOptions | WebhookDoor | false;
  /**
   * How long a stop may take in all; a pod has 30 seconds. Running reconciles have four fifths of it to finish, then their
   * signal is aborted. @default 25_000
   */
  readonly gracePeriodMs?: number;
  /**
   * After how long each object is looked at again though nothing has changed, in place of what the controllers declare;
   * `Infinity` for never. @default what they declare
   */
  readonly resyncMs?: number | undefined;
  /**
   * Let one of several replicas work while the others stand by; options, or `true` for their defaults.
   * @default what the operator declares, which is `false` unless it says otherwise
   */
  readonly leaderElection?: LeadershipOptions | boolean;
  /** Where namespaced kinds are watched, unless a watch names its own. @default everywhere */
  readonly namespaces?: readonly string[] | undefined;
  /** Measure the process and Node as well, which only one manager of a process should. @default false */
  readonly processMetrics?: boolean;
  /**
   * Write nothing: reconcile each object that is there once, tell what its pass would have written, and end. There are
   * no servers, no election, no tasks and no sources then, and `finalize` is never called. @default everything is written
   */
  readonly plan?: ((pass: PlannedPass) => void) | undefined;
  /** Makes a span for each pass; OpenTelemetry's tracer will do. @default none */
  readonly tracer?: Tracer;
  /** More headers for every request, such as the `traceparent` of the active span. @default none */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Say with each pass why it runs, at info level; otherwise that is in debug lines. @default false */
  readonly logCauses?: boolean;
  /** Values for the operator's settings, before those that it was given. @default its own and their defaults */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** @default JSON lines on standard error */
  readonly logger?: Logger;
  /** Hears of objects that are reconciled in vain; log, metrics and Events tell of them in any case. @default nobody */
  readonly onStorm?: (storm: Storm) => void;
  /** Hears how each pass over an object ended; the log tells of those that failed in any case. @default nobody */
  readonly onPass?: (pass: PassEnd) => void;
  /**
   * Hears of mistakes of the author's code: a missing `await`, an answer that is no outcome, a thrown value that is no
   * error. The log tells of them in any case. @default nobody
   */
  readonly onMistake?: (mistake: Mistake) => void;
  /** @default systemClock */
  readonly clock?: Clock;
  /** @default systemRandom */
  readonly random?: Random;
}

/** An operator that can be started. */
export interface Manager {
  /** Runs until the signal is aborted and everything has stopped; with `plan`, until all is planned. Rejects when it cannot start. */
  start(signal: AbortSignal): Promise<void>;
}

/**
 * Runs an operator inside a program of one's own; `run` makes a process of it.
 *
 * @example
 * await createManager(websiteOperator, { config: await loadConfig() }).start(signal);
 */
export function createManager(operator: EngineOperator, options: ManagerOptions = {}): Manager {
  const { clock = systemClock, random = systemRandom } = options;
  const { logger = jsonLogger({ name: operator.name, clock }), gracePeriodMs = 25_000 } = options;
  if (options.resyncMs !== undefined && !(options.resyncMs > 0)) {
    throw new RangeError(`createManager: resyncMs must be greater than 0, received ${options.resyncMs}`);
  }
  // Before anything is started: a wrong value is a wrong argument.
  const settings = operator.settings && validSettings(operator.settings, { ...operator.given, ...options.settings });
  const { namespace: ownNamespace = 'default', context } = options.config ?? {};
  // Only a pod has a Deployment; manifests and charts call it as the operator.
  const isInPod = options.config !== undefined && context === undefined;
  const deployment = isInPod ? (`${ownNamespace}/${operator.name}` as const) : undefined;
  const onEventError = (error: Error) => logger.warn('An Event could not be recorded', { error });
  return {
    async start(signal) {
      const failed = new AbortController();
      using over = anySignal([signal, failed.signal]);
      using schedule = stopSchedule(over.signal, clock, gracePeriodMs);
      const working = manage(signal, schedule, failed);
      const isOver = await Promise.race([working.then(() => true), aborted(schedule.all).then(() => false)]);
      if (!isOver) {
        void working.catch((error: unknown) => logger.error('The stop failed after it was given up', { error }));
        const { reason: cause } = failed.signal;
        throw new Error(`The operator did not stop within ${gracePeriodMs / 1000} s.`, { cause });
      }
      logger.info('Stopped');
    },
  };

  /** Aborts `failed` when it ends without being told to: then, too, the stop has its time and no more. */
  async function manage(signal: AbortSignal, schedule: StopSchedule, failed: AbortController): Promise<void> {
    await using transport = borrowed(options) ?? connectTo(options, operator, clock);
    const metrics = createMetrics({ clock, host: options.config ? new URL(options.config.server).host : '' });
    const clientOf = (way: Transport) =>
      createClient({
        transport: way,
        clock,
        random,
        fieldManager: operator.name,
        metrics: metrics.requests,
        headers: options.headers,
        onWarning: (warning) => logger.warn('The API server warns', { warning }),
      });
    const client = clientOf(transport);
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
      onError: onEventError,
    });
    const applied = new NoOpApplies(operator.name);
    const ownCaches = { manager: operator.name, namespaces: options.namespaces, gathers: followUpKinds(operator) };
    // Made once: those who stand by keep their caches complete.
    const controllers = operator.controllers.map((declared) => {
      const { resyncMs = declared.resyncMs } = options;
      const controller = { ...declared, resyncMs };
      const { group, kind } = controller.for;
      return {
        controller,
        caches: createCaches(controller, informers, ownCaches),
        applied,
        logger: logger.with({ controller: controller.name, controllerGroup: group, controllerKind: kind }),
        metrics: metrics.controller(controller.name),
        onStorm: options.onStorm,
        onPass: options.onPass,
        onMistake: options.onMistake,
        tracer: options.tracer,
        logCauses: options.logCauses ?? false,
      };
    });
    const written = { onWritten: (write: OwnWrite) => informers.overlay(write) };
    if (options.plan !== undefined) {
      const { plan: onPlanned } = options;
      return await planPasses(
        { controllers, transport, clientOf, ...written, settings, clock, random, onPlanned },
        signal,
      );
    }
    const leadership = leadershipOf(client.with({ signal: schedule.requests }), recorder, metrics);
    const webhooks = webhooksOf(informers, metrics, client);
    if (webhooks?.certificate) observeCertificate(metrics.registry, clock, webhooks.certificate);
    await using _health = await serve(
      'health probe',
      healthRoutes(
        () => informers.all,
        leadership && (() => leadership.standing),
        () => webhooks?.checks ?? [],
      ),
      options.health ?? { port: 8081 },
      { logger, clock },
    );
    if (options.processMetrics) {
      promClient().collectDefaultMetrics({ register: metrics.registry, eventLoopMonitoringPrecision });
    }
    observeWatches(metrics.registry, () => informers.all);
    const metricsPlace = metricsPlaceOf(options.metrics, operator, random);
    const isSecure = metricsPlace !== false && metricsPlace.tls !== undefined;
    const accessOf = isSecure ? metricsAccess({ client, clock, logger, path: '/metrics' }) : undefined;
    const metricsRoutes: Routes = {
      async '/metrics'({ authorization }) {
        const access = accessOf ? await accessOf(authorization) : 'allowed';
        if (access !== 'allowed') {
          return { status: statusOfRefusal[access], contentType: 'text/plain', body: `${access}\n` };
        }
        return { status: 200, contentType: metrics.registry.contentType, body: await metrics.registry.metrics() };
      },
    };
    await using _metrics = await serve('metrics', metricsRoutes, metricsPlace, { logger, clock });

    // Who gives up leading, or does not stop, ends the others as well; webhooks are drained then, too.
    using both = anySignal([signal, failed.signal]);
    await using _webhooks = await webhooks?.open(both.signal, schedule);

    const { tasks = [] } = operator;
    const needsLeadership = (task: Task) => task.leadership ?? true;
    const parts = {
      client: client.with(written),
      name: operator.name,
      settings,
      onEventError,
      gracePeriodMs,
      clock,
      random,
      logger,
    };
    const work = (term?: Term) =>
      runControllers({ ...parts, controllers, tasks: tasks.filter(needsLeadership) }, signal, schedule, term);
    const always = { ...parts, controllers: [], tasks: tasks.filter((task) => !needsLeadership(task)) };
    const elected = leadership === undefined ? work() : leadership.run(signal, work);
    elected.catch((error: unknown) => failed.abort(error));
    const ends = await Promise.allSettled([elected, runControllers(always, both.signal, schedule)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  function webhooksOf(informers: SharedInformers, metrics: Metrics, client: Client) {
    const { webhooks: place = {}, namespaces } = options;
    if (place === false || !servesWebhooks(operator)) return undefined;
    const counted = webhookMetrics(metrics.registry, clock);
    const handler = handlerOf(operator, { informers, namespaces, settings, metrics: counted, logger, clock });
    return webhooksAt(handler, place, { operator, client, namespace: ownNamespace, deployment, logger, clock, random });
  }

  function leadershipOf(client: Client, recorder: EventRecorder, metrics: Metrics): Leadership | undefined {
    const { leaderElection = operator.leaderElection ?? false } = options;
    if (leaderElection === false) return undefined;
    const given = leaderElection === true ? {} : leaderElection;
    const { lease = `${ownNamespace}/${operator.name}` } = given;
    const { identity = `${operator.name}_${random.uuid()}` } = given;
    const all = { ...given, lease, identity };
    return new Leadership({
      options: all,
      deployment,
      client,
      recorder,
      metrics: metrics.leader,
      logger,
      clock,
      random,
    });
  }
}

/**
 * Milliseconds between two looks at the delay of the event loop. With prom-client's ten, an operator that has nothing to
 * do takes a hundred times the CPU that it takes without: 49 ms in 15 s instead of 0.4.
 */
const eventLoopMonitoringPrecision = 100;

/** Where metrics are declared secure and nobody gave a certificate, they have one that nobody vouches for. */
function metricsPlaceOf(given: ManagerOptions['metrics'], operator: Operator, random: Random): ListenOptions | false {
  if (given === false || !operator.secureMetrics || given?.tls !== undefined) return given ?? { port: 8080 };
  const tls = createAuthority(random).issueServer(operator.name, ['localhost', '127.0.0.1']);
  return { port: 8080, ...given, tls };
}

const statusOfRefusal = { unauthenticated: 401, forbidden: 403, busy: 503 } as const;

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
  options: ListenOptions | false,
  { logger, clock }: { readonly logger: Logger; readonly clock: Clock },
): Promise<HttpServer | undefined> {
  if (options === false) return undefined;
  const onError = (error: Error) => logger.error(`The ${what} server failed at something`, { error });
  const server = await listen(what, routes, options, { onError, clock });
  logger.info('starting server', { name: what, addr: `${options.host ?? '[::]'}:${server.port}` });
  return server;
}

function reportWatch(logger: Logger, error: Error, { kind, health }: Informer): void {
  // An informer also reports what a handler threw; only its own last error is about the watch.
  if (health.lastError === error && isAbsentKind({ kind, health }))
    logger.debug(`${kind.kind} is not there, and not needed; looking again later`, { error });
  else if (health.lastError === error)
    logger.warn(`${kind.kind} cannot be watched; trying again`, { problem: problemOf(health), error });
  else logger.error(`Something failed at a change of ${kind.kind}`, { error });
}
