#!/usr/bin/env node
/** The operator as a process: configured by the environment, ended by SIGTERM or SIGINT. */
import { hostname } from 'node:os';
import { type ClusterConfig, connect, isConfigError, loadConfig } from '@keelson/client';
import { systemClock, systemRandom } from '@keelson/core/system';
import { createLogger } from './logger.ts';
import { createObservations, healthHandler, metricsHandler, serve } from './probes.ts';
import { runEchoOperator } from './run-echo-operator.ts';
import { SettingsError, settingsFrom, variables } from './settings.ts';

/** What manifests and charts call it. */
const name = 'echo-operator';

const usage = `Usage: echo-operator

Makes a Job for every Echo and a CronJob for every ScheduledEcho, until SIGTERM or SIGINT. It takes no arguments and is
configured by environment variables (default):

${variables.map(([name, fallback, what]) => `  ${name.padEnd(28)}${what}${fallback && ` (${fallback})`}`).join('\n')}
`;

async function main(): Promise<void> {
  // Two replicas on one host are two.
  const settings = settingsFrom(process.env, `${hostname()}_${systemRandom.uuid().slice(0, 8)}`);
  const logger = createLogger({ level: settings.logLevel, json: settings.logJson, clock: systemClock });
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      logger.info('Stopping', { signal: name });
      stop.abort(new Error(`the process got ${name}`));
    });
  }
  const config = await loadConfig();
  await using transport = connect(config, { userAgent: name });
  const observations = createObservations(settings.ha?.leaseName ?? name);
  await using health = await serve(settings.healthPort, healthHandler(observations));
  const { metrics } = settings;
  await using metering = metrics && (await serve(metrics.port, metricsHandler(observations, metrics.path)));
  logger.info('Starting', {
    highAvailability: settings.ha !== undefined,
    health: health.port,
    metrics: metering?.port,
  });
  const { observer } = observations;
  await runEchoOperator(
    {
      transport,
      settings,
      deployment: ownDeployment(config),
      clock: systemClock,
      random: systemRandom,
      logger,
      observer,
    },
    stop.signal,
  );
  logger.info('Stopped');
}

/** A pod is of a Deployment; a process elsewhere has a kubeconfig, with a context. */
const ownDeployment = ({ context, namespace }: ClusterConfig) =>
  context === undefined ? (`${namespace}/${name}` as const) : undefined;

const [argument] = process.argv.slice(2);
try {
  if (argument === '--help') process.stdout.write(usage);
  else if (argument === undefined) await main();
  else throw new SettingsError(`unknown argument ${argument}; echo-operator --help lists the environment variables`);
} catch (error) {
  // A setting or a kubeconfig is the user's to mend, and its message says how; anything else is ours, with its stack.
  const isTheirs = error instanceof SettingsError || isConfigError(error);
  console.error(`echo-operator: ${error instanceof Error ? (isTheirs ? error.message : error.stack) : error}`);
  process.exitCode = 1;
}
