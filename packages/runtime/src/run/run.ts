/** `run`: an operator as a process. It reads arguments, environment and signals, prints, and sets the exit code. */
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { type ClusterConfig, loadConfig } from '@keelson/client';
import { servesWebhooks } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { usualCertificateFiles } from '../certificates/certificates-from-files.ts';
import type { EngineOperator } from '../controller/engine-operator.ts';
import { jsonLogger, textLogger } from '../log/log.ts';
import type { Logger } from '../log/logger.ts';
import { errorOf } from '../log/thrown.ts';
import { createManager, type ManagerOptions } from '../manager/manager.ts';
import type { PlannedPass } from '../plan/planned-pass.ts';
import { printPlannedPass, printPlanSummary } from '../plan/print-plan.ts';
import { type Arguments, checkSettings, readArguments } from './command-line.ts';
import { growHeapByHalf } from './heap-growth.ts';
import { helpText } from './help-text.ts';

/**
 * Runs an operator as this process, until a signal comes. Any failure to start is one sentence on standard error and exit
 * code 1.
 *
 * @example
 * if (import.meta.main) await run(websiteOperator);
 */
export async function run(
  operator: EngineOperator,
  argv: readonly string[] = process.argv.slice(2),
  given: Pick<ManagerOptions, 'tracer' | 'headers' | 'webhooks'> = {},
): Promise<void> {
  let stop: AbortSignal | undefined;
  let isPlan = false;
  let failure = 2; // what is wrong until then is the command line
  try {
    const options = readArguments(argv, process.env, operator);
    isPlan = options.plan;
    if (options.help) {
      process.stdout.write(helpText(operator));
      return;
    }
    checkSettings(operator, options.settings);
    failure = 1;
    growHeapByHalf();
    const logger = processLogger(operator.name, options);
    const config = await loadConfig({ kubeconfig: options.kubeconfig, context: options.context });
    logger.info('Starting operator', {
      operator: operator.name,
      ...(operator.version !== undefined && { version: operator.version }),
      keelson: ownVersion(),
      node: process.version,
      platform: `${process.platform}/${process.arch}`,
      cluster: config.source,
    });
    const planned: PlannedPass[] = [];
    const color = process.stdout.isTTY && process.stdout.hasColors();
    // Whoever reads a plan may stop reading: `--plan | head`.
    if (options.plan) process.stdout.on('error', () => process.exit(0));
    const manager = createManager(operator, {
      config,
      logger,
      plan: options.plan
        ? (pass) => {
            planned.push(pass);
            process.stdout.write(printPlannedPass(pass, { color }));
          }
        : undefined,
      health: options.healthPort > 0 && { port: options.healthPort, setBy: '--health-port' },
      metrics: options.metricsPort > 0 && {
        port: options.metricsPort,
        tls: options.metricsTls,
        setBy: '--metrics-port',
      },
      ...given,
      webhooks: given.webhooks ?? (await webhooksFor(operator, options, config, logger)),
      processMetrics: true,
      gracePeriodMs: options.gracePeriodMs,
      resyncMs: options.resyncMs,
      settings: options.settings,
      namespaces: options.namespaces,
      logCauses: options.logCauses,
      leaderElection: options.leaderElection && {
        ...options.leaderElection,
        // In a pod, the host's name is the pod's.
        identity: `${hostname()}_${systemRandom.uuid()}`,
      },
    });
    using _rejections = reportedRejections(logger);
    stop = stopSignal(logger);
    await manager.start(stop);
    if (options.plan) {
      await new Promise<void>((resolve) => process.stdout.write(`${printPlanSummary(planned)}\n`, () => resolve()));
      // A pass that took too long may go on for ever, and would keep the process with it.
      process.exit(planned.some(({ error }) => error !== undefined) ? 1 : 0);
    }
  } catch (thrown) {
    process.stderr.write(`${operator.name}: ${errorOf(thrown, operator.name).message}\n`);
    // What did not stop may keep the process alive for ever.
    if (stop?.aborted || isPlan) process.exit(failure);
    process.exitCode = failure;
  }
}

/** Only a pod is found by its Service; elsewhere webhooks are answered where that was asked for. */
async function webhooksFor(
  operator: EngineOperator,
  { webhookPort, webhookTls }: Arguments,
  { context }: ClusterConfig,
  logger: Logger,
): Promise<NonNullable<ManagerOptions['webhooks']>> {
  const isInPod = context === undefined;
  if (webhookPort === undefined && !isInPod) {
    if (servesWebhooks(operator)) {
      logger.warn('Webhooks are not answered outside of the cluster; keelson run has --webhook-url for that');
    }
    return false;
  }
  // Outside, nobody finds another replica instead, and who presses Ctrl-C waits for it.
  const drainMs = isInPod ? undefined : 0;
  const tls = webhookTls ?? (isInPod ? await usualCertificateFiles() : undefined);
  return webhookPort !== 0 && { port: webhookPort, tls, setBy: '--webhook-port', drainMs };
}

/** The version of this package; its file is here or one folder up where it is published, and two up in the checkout. */
function ownVersion(): string {
  const require = createRequire(import.meta.url);
  for (const file of ['./package.json', '../package.json', '../../package.json']) {
    try {
      const { name, version } = require(file) as { readonly name: string; readonly version: string };
      if (name === '@keelson/runtime') return version; // in a bundle it is somebody else's
    } catch {
      // the other one, then
    }
  }
  return 'unknown';
}

function processLogger(name: string, { logFormat, logLevel }: Arguments): Logger {
  const common = { name, clock: systemClock, level: logLevel };
  const { isTTY = false } = process.stderr;
  return (logFormat ?? (isTTY ? 'text' : 'json')) === 'json'
    ? jsonLogger(common)
    : textLogger({ ...common, color: isTTY });
}

/**
 * An unawaited promise would end the process, and all other objects' work with it, each time it is rejected.
 * This is a policy for the whole process, so it is set here and nowhere in the library.
 */
function reportedRejections(logger: Logger): Disposable {
  const report = (reason: unknown) =>
    logger.error('A promise was rejected and nobody waited for it: an await is missing', {
      error: errorOf(reason, 'an asynchronous function'),
    });
  process.on('unhandledRejection', report);
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', report) };
}

/** Aborted by the first SIGTERM or SIGINT; the second of either ends the process at once, as the system does by default. */
function stopSignal(logger: Logger): AbortSignal {
  const controller = new AbortController();
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const onSignal = (name: NodeJS.Signals) => {
    for (const each of signals) process.off(each, onSignal);
    logger.info('Shutting down', { signal: name });
    controller.abort(new Error(`The operator got ${name}.`));
  };
  for (const each of signals) process.on(each, onSignal);
  return controller.signal;
}
