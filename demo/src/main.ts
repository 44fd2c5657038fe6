/**
 * What `npm start` runs: the Memcached operator on the cluster of a kubeconfig, with its definition installed.
 *
 * Everything that can go wrong before the operator works is one sentence on standard error and exit code 1.
 */
import { parseArgs } from 'node:util';
import { type ClusterConfig, connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import { isForbidden, type PolicyRule } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Memcached, memcachedOperator } from '@keelson/memcached-operator';
import {
  createManager,
  jsonLogger,
  type Logger,
  missingAccess,
  printMissing,
  rulesOf,
  textLogger,
} from '@keelson/runtime';
import { crdOf } from '@keelson/schema';

const usage = `Usage: npm start -- --kubeconfig FILE [--context NAME]

Installs the Memcached definition in a cluster and runs the operator there until Ctrl-C.

Options:
  --kubeconfig FILE   the cluster to work on
  --context NAME      the context of that file (default: its current one)
  --help              this text
`;

/** What installing needs beside the operator's own rules. */
const installRules: readonly PolicyRule[] = [
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get', 'create', 'patch'],
  },
];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { kubeconfig: { type: 'string' }, context: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(usage);
    return;
  }
  if (values.kubeconfig === undefined) throw new Error('which cluster? Give one with --kubeconfig FILE.');
  const config = await loadConfig({ kubeconfig: values.kubeconfig, context: values.context });
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new Error('stopped')));
  const logger = demoLogger();
  await install(config, logger, stop.signal);
  const manager = createManager(memcachedOperator, {
    config,
    logger,
    health: { port: 8081, orFree: true },
    metrics: { port: 8080, orFree: true },
  });
  await manager.start(stop.signal);
}

/** Says what is missing before anything is changed, then installs the definition. */
async function install(config: ClusterConfig, logger: Logger, signal: AbortSignal): Promise<void> {
  await using transport = connect(config, { userAgent: memcachedOperator.name });
  const client = createClient({ transport, fieldManager: memcachedOperator.name, signal });
  const missing = await missingAccess(client, [...installRules, ...rulesOf(memcachedOperator)]);
  if (missing.length > 0) {
    const rules = missing.map(printMissing).join('; ');
    throw new Error(`the user of ${config.source} lacks rights in ${config.server}; missing: ${rules}.`);
  }
  const [definition] = await installDefinitions(client, [crdOf(Memcached)], { signal });
  logger.info('The definition is installed', { definition: definition?.metadata.name, cluster: config.source });
}

function demoLogger(): Logger {
  const options = { name: memcachedOperator.name, clock: systemClock };
  return process.stderr.isTTY ? textLogger({ ...options, color: true }) : jsonLogger(options);
}

try {
  await main();
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(`npm start: ${sentence}${isForbidden(error) ? ' Check the RBAC rules of this user.' : ''}\n`);
  process.exitCode = 1;
}
