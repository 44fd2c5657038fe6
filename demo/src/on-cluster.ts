/** The operator on the cluster of a kubeconfig: says what is missing before anything is changed, installs, and runs. */
import { type ClusterConfig, connect, createClient, installDefinitions, loadConfig } from '@keelson/client';
import { type PolicyRule, rulesOf } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Memcached, memcachedOperator } from '@keelson/memcached-operator';
import { createManager, jsonLogger, type Logger, missingAccess, printMissing, textLogger } from '@keelson/runtime';
import { crdOf } from '@keelson/schema';

/** What installing needs beside the operator's own rules. */
const installRules: readonly PolicyRule[] = [
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: ['get', 'create', 'patch'],
  },
];

export interface ClusterChoice {
  readonly kubeconfig: string;
  readonly context: string | undefined;
}

export async function runOnCluster(choice: ClusterChoice, signal: AbortSignal): Promise<void> {
  const config = await loadConfig(choice);
  const options = { name: memcachedOperator.name, clock: systemClock };
  const logger = process.stderr.isTTY ? textLogger({ ...options, color: true }) : jsonLogger(options);
  await install(config, logger, signal);
  const manager = createManager(memcachedOperator, {
    config,
    logger,
    health: { port: 8081, orFree: true },
    metrics: { port: 8080, orFree: true },
  });
  await manager.start(signal);
}

async function install(config: ClusterConfig, logger: Logger, signal: AbortSignal): Promise<void> {
  await using transport = connect(config, { userAgent: memcachedOperator.name });
  const client = createClient({ transport, fieldManager: memcachedOperator.name, signal });
  const missing = await missingAccess(client, [
    { namespace: undefined, rules: [...installRules, ...rulesOf(memcachedOperator)] },
  ]);
  if (missing.length > 0) {
    const rules = missing.map(printMissing).join('; ');
    throw new Error(`the user of ${config.source} lacks rights in ${config.server}; missing: ${rules}.`);
  }
  const [definition] = await installDefinitions(client, [crdOf(Memcached)], { signal });
  logger.info('The definition is installed', { definition: definition?.metadata.name, cluster: config.source });
}
