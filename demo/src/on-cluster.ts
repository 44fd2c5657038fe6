/** Both operators on the cluster of a kubeconfig: says what is missing before anything is changed, installs, and runs. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import {
  type ClusterConfig,
  connect,
  createClient,
  installDefinitions,
  isOnThisMachine,
  loadConfig,
} from '@keelson/client';
import { type Operator, type PolicyRule, rulesOf, servesWebhooks, type Transport } from '@keelson/core';
import { systemClock, systemRandom } from '@keelson/core/system';
import { Echo, echoOperator, runEchoOperator, ScheduledEcho, settingsFrom } from '@keelson/echo-operator';
import { Memcached, memcachedOperator } from '@keelson/memcached-operator';
import { createManager, jsonLogger, type Logger, missingAccess, printMissing, textLogger } from '@keelson/runtime';
import { answerOutside, type OutsideWebhooks } from '@keelson/runtime/outside';
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
  /** Where its API server reaches this machine. */
  readonly webhookUrl: string | undefined;
}

export async function runOnCluster(choice: ClusterChoice, signal: AbortSignal): Promise<void> {
  const config = await loadConfig(choice);
  if (choice.context === undefined && !isOnThisMachine(config)) {
    throw new Error(
      `${config.source} leads to ${config.server}, which is not on this machine; name it with --context NAME if you mean it.`,
    );
  }
  const loggerOf = (name: string) => {
    const options = { name, clock: systemClock };
    return process.stderr.isTTY ? textLogger({ ...options, color: !process.env.NO_COLOR }) : jsonLogger(options);
  };
  const logger = loggerOf(memcachedOperator.name);
  await using transport = connect(config, { userAgent: memcachedOperator.name });
  const url = await webhookUrlOf(config, choice);
  await install(config, transport, logger, signal);
  await using outside = await askedHere(url, transport);
  process.stdout.write(instructions(config.server, choice));
  const manager = createManager(memcachedOperator, {
    config,
    webhooks: outside?.webhooks ?? false,
    logger,
    health: { port: 8081, orFree: true },
    metrics: { port: 8080, orFree: true },
    leaderElection: false,
  });
  // When one of them fails, the other stops too.
  const failed = new AbortController();
  const stop = AbortSignal.any([signal, failed.signal]);
  const echo = async () => {
    await using transport = connect(config, { userAgent: echoOperator.name });
    const { ECHO_IMAGE } = process.env;
    const settings = settingsFrom({ NAMESPACE: config.namespace, ECHO_IMAGE }, echoOperator.name);
    const options = { transport, settings, clock: systemClock, random: systemRandom };
    await runEchoOperator({ ...options, logger: loggerOf(echoOperator.name) }, stop);
  };
  const all = [manager.start(stop), echo()].map((each) =>
    each.catch((error: unknown) => {
      failed.abort(error);
      throw error;
    }),
  );
  await Promise.all(all);
}

function instructions(server: string, { kubeconfig, context }: ClusterChoice): string {
  const kubectl = context === undefined ? 'kubectl' : `kubectl --context ${context}`;
  return `
Both operators work on ${server}. In another terminal, in this folder:

  export KUBECONFIG=${resolve(kubeconfig)}
  ${kubectl} apply --server-side -f operators/memcached/config/samples/cache_v1_memcached.yaml
  ${kubectl} get memcacheds,deployments,pods
  ${kubectl} apply --server-side -f operators/echo/config/samples/mmontes_v1alpha1_echo.yaml
  ${kubectl} get echos,jobs

Ctrl-C stops the operators. What they have made stays, and so do the definitions; nobody converts Memcacheds then, so that
of a definition that was not there before only the stored version is served.

`;
}

/** The demo is one replica of each. */
const alone = (operator: Operator): Operator => ({ ...operator, leaderElection: false });

/** Those that need no conversion; the others are the API server's only while somebody converts. */
const plainKinds = [Memcached, Echo, ScheduledEcho].filter(({ conversion }) => conversion === undefined);

async function install(
  config: ClusterConfig,
  transport: Transport,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const client = createClient({ transport, fieldManager: memcachedOperator.name, signal });
  const missing = await missingAccess(client, [
    {
      namespace: undefined,
      rules: [...installRules, ...[memcachedOperator, echoOperator].flatMap((each) => rulesOf(alone(each)))],
    },
  ]);
  if (missing.length > 0) {
    const rules = missing.map(printMissing).join('; ');
    throw new Error(`the user of ${config.source} lacks rights in ${config.server}; missing: ${rules}.`);
  }
  const definitions = await installDefinitions(
    client,
    plainKinds.map((kind) => crdOf(kind)),
    { signal },
  );
  logger.info('The definitions are installed', {
    definitions: definitions.map(({ metadata }) => metadata.name).join(', '),
    cluster: config.source,
  });
}

/** Where the API server asks the Memcached operator, if it ever asks; an error where it could not. */
async function webhookUrlOf(
  { server, proxyUrl }: ClusterConfig,
  { webhookUrl }: ClusterChoice,
): Promise<string | undefined> {
  if (!servesWebhooks(memcachedOperator)) return undefined;
  if (webhookUrl === undefined && !isOnThisMachine({ server, proxyUrl })) {
    throw new Error(
      `Memcached is converted between its versions by its operator, which ${server} has to reach: say where with --webhook-url https://HOST:PORT, or install the operator in the cluster.`,
    );
  }
  return webhookUrl ?? `https://127.0.0.1:${await freePort()}`;
}

/** Has the API server ask the Memcached operator here, and installs what is converted here. */
async function askedHere(url: string | undefined, transport: Transport): Promise<OutsideWebhooks | undefined> {
  if (url === undefined) return undefined;
  return answerOutside(memcachedOperator, {
    client: createClient({ transport, fieldManager: memcachedOperator.name }),
    url,
    definitions: (conversion) => [crdOf(Memcached, { conversion })],
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
