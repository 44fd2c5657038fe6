/**
 * Webhooks under load, by an API server that reaches them at a URL: certificates change and replicas are replaced while
 * it calls, and each call that fails is a write that fails.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { type Client, createClient, createSharedInformers } from '@keelson/client';
import { deadline, operator, sleep, type Transport, webhookConfigurationsOf, webhookNames } from '@keelson/core';
import { MutatingWebhookConfiguration } from '@keelson/core/admissionregistration/v1';
import { systemClock, systemRandom } from '@keelson/core/system';
import { ConfigMap, Secret } from '@keelson/core/v1';
import { keepCertificates } from '../src/certificates/keep-certificates.ts';
import { trustingObjectsOf } from '../src/certificates/trusting-objects.ts';
import { createManager, type Logger, webhook } from '../src/index.ts';
import { promClient } from '../src/late-modules.ts';
import type { Fields } from '../src/log/logger.ts';
import { handlerOf } from '../src/manager/webhooks.ts';
import { webhookMetrics } from '../src/metrics/webhook-metrics.ts';
import { serveWebhooks } from '../src/webhooks/webhook-server.ts';
import { startBalancer } from './webhook-balancer.ts';

/** Fills in who was here, so that each write shows whether it was asked for. */
const marked = webhook(ConfigMap, {
  objectSelector: { matchLabels: { load: 'yes' } },
  default: ({ object }) => ({ ...object, data: { ...object.data, marked: 'yes' } }),
});
export const loaded = operator({ name: 'loaded', webhooks: [marked], events: false });

const host = '127.0.0.1';
const clock = systemClock;
const random = systemRandom;
const namespace = 'default';
const secret = `${namespace}/${webhookNames(loaded).secret}`;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

export interface UnderLoad {
  /** The administrator. */
  readonly client: Client;
  /** The operator's way in, with the rights that follow from its declarations. */
  readonly own: Transport;
  readonly calls: number;
}

export interface Load {
  readonly calls: number;
  readonly failures: readonly string[];
}

/** Writes in parallel, each asking the webhooks, until `work` is over and there were so many. */
async function during(client: Client, calls: number, work: () => Promise<void>): Promise<Load> {
  const failures: string[] = [];
  let done = 0;
  let isOver = false;
  const writer = async () => {
    while (!isOver || done < calls) {
      const metadata = { generateName: 'load-', namespace, labels: { load: 'yes' } };
      try {
        const { data } = await client.create(ConfigMap, { metadata }, { dryRun: true });
        if (data?.marked !== 'yes') failures.push('nobody was asked');
      } catch (error) {
        failures.push((error as Error).message);
      }
      done += 1;
    }
  };
  const writers = [1, 2, 3, 4].map(writer);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(writers);
  }
  return { calls: done, failures };
}

async function until(what: string, holds: () => Promise<boolean> | boolean): Promise<void> {
  using limit = deadline(clock, 300_000, what);
  while (!(await holds())) {
    limit.signal.throwIfAborted();
    await sleep(clock, 50);
  }
}

/** Waits until the API server has learnt whom to ask and to trust. */
async function answered(client: Client): Promise<void> {
  let last: readonly string[] = [];
  const isAnswered = async () => {
    last = (await during(client, 1, async () => {})).failures;
    return last.length === 0;
  };
  await until('a call is answered', isAnswered).catch((error: unknown) => {
    throw new Error(`no call is answered: ${last[0]}`, { cause: error });
  });
}

async function installAt(client: Client, port: number): Promise<void> {
  const url = `https://${host}:${port}`;
  const { mutating } = webhookConfigurationsOf(loaded, { namespace: 'elsewhere', url });
  assert.ok(mutating);
  await client.apply(MutatingWebhookConfiguration, mutating);
}

/** Whether those who trust what the API server is told trust who serves there, with a handshake of their own. */
async function isTrusted(client: Client, port: number): Promise<boolean> {
  const { webhooks } = await client.get(MutatingWebhookConfiguration, webhookNames(loaded).mutating);
  const ca = Buffer.from(webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString();
  const socket = connectTls({ host, port, ca });
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Two replicas, of which each has a new authority twice. */
export async function rotateUnderLoad({
  client,
  own,
  settleMs,
  calls,
}: UnderLoad & { readonly settleMs: number }): Promise<Load> {
  await using balancer = await startBalancer();
  const never = new AbortController().signal;
  const ownClient = createClient({ transport: own, clock, random, fieldManager: 'loaded' });
  await using informers = createSharedInformers({ client: ownClient, onError: assert.fail });
  const metrics = webhookMetrics(new (promClient().Registry)(), clock);
  const handler = handlerOf(loaded, {
    informers,
    namespaces: undefined,
    settings: undefined,
    metrics,
    logger: silent,
    clock,
  });
  const replica = async () => {
    const certificates = keepCertificates({
      client: ownClient,
      secret,
      hosts: [host],
      trustedBy: trustingObjectsOf(loaded),
      settleMs,
      logger: silent,
      clock,
      random,
    });
    const parts = { handler, certificates, onError: assert.fail, clock, drainMs: 0, stop: never, giveUp: never };
    const server = await serveWebhooks({ host, port: 0 }, parts);
    balancer.ready.add(server.port);
    return { certificates, server };
  };
  await installAt(client, balancer.port);
  const replicas = await Promise.all([replica(), replica()]);
  const issuers = () =>
    replicas.map(({ certificates: { current } }) => new X509Certificate(current?.certificate ?? '').issuer);
  await until('they are ready', () => replicas.every(({ certificates }) => certificates.health.problem === undefined));
  await answered(client);
  let untrusted = 0;
  const load = await during(client, calls, async () => {
    for (const _ of [1, 2]) {
      const before = issuers();
      await client.patch(Secret, secret, { data: { 'ca.key': '' } });
      await until('both serve with a new authority', async () => {
        for (const { server } of replicas) if (!(await isTrusted(client, server.port))) untrusted += 1;
        return issuers().every((each) => !before.includes(each));
      });
    }
  });
  for (const { certificates, server } of replicas) {
    await server[Symbol.asyncDispose]();
    await certificates[Symbol.asyncDispose]();
  }
  const failures = untrusted > 0 ? [...load.failures, `${untrusted} handshakes of our own`] : load.failures;
  return { ...load, failures };
}

/** How long a Service takes to learn that a pod terminates, and how long a pod that does answers on. */
const lagMs = 300;
const drainMs = 3000;

/** Three replicas, one after the other: each is stopped as soon as the next one is ready, while writes go on. */
export async function rollOutUnderLoad({ client, own, calls }: UnderLoad): Promise<Load> {
  await using balancer = await startBalancer();
  await installAt(client, balancer.port);
  const startReplica = async () => {
    const ports: Record<string, number> = {};
    const info = (message: string, fields: Fields = {}) => {
      if (message === 'starting server') ports[String(fields.name)] = Number(/\d+$/.exec(String(fields.addr))?.[0]);
    };
    const logger: Logger = { ...silent, info, with: () => logger };
    const stop = new AbortController();
    const options = { transport: own, metrics: false, logger, health: { host, port: 0 } } as const;
    const webhooks = { host, port: 0, hosts: [host], drainMs };
    const ended = createManager(loaded, { ...options, webhooks }).start(stop.signal);
    ended.catch(() => {}); // awaited where it is stopped
    const isReady = async () =>
      ports.webhook !== undefined && (await fetch(`http://${host}:${ports['health probe']}/readyz`)).ok;
    await until('a replica is ready', isReady);
    balancer.ready.add(ports.webhook ?? 0);
    return {
      async stop() {
        stop.abort();
        await sleep(clock, lagMs);
        balancer.ready.delete(ports.webhook ?? 0);
        await ended;
      },
    };
  };
  let running = await startReplica();
  await answered(client);
  const load = await during(client, calls, async () => {
    for (const _ of [1, 2]) {
      const next = await startReplica();
      await running.stop();
      running = next;
    }
  });
  await running.stop();
  return load;
}
