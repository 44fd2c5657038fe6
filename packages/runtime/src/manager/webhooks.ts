/**
 * The webhooks of an operator at work, on every replica: answered over HTTPS, or in process by whoever is given the door.
 *
 * Promises: they answer until the rest of the process has stopped.
 */
import type { Client, SharedInformers } from '@keelson/client';
import {
  type Clock,
  convertedKinds,
  type NamespacedName,
  type Random,
  type Transport,
  webhookNames,
  webhookPort,
} from '@keelson/core';
import { createReadCaches } from '../cache/caches.ts';
import { certificatesFromFiles } from '../certificates/certificates-from-files.ts';
import { keepCertificates } from '../certificates/keep-certificates.ts';
import {
  type CertificateHealth,
  certificateCheck,
  givenCertificates,
  type ServingCertificates,
} from '../certificates/serving-certificates.ts';
import { trustingObjectsOf } from '../certificates/trusting-objects.ts';
import type { EngineOperator } from '../controller/engine-operator.ts';
import type { Logger } from '../log/logger.ts';
import type { WebhookMetrics } from '../metrics/webhook-metrics.ts';
import type { Check } from '../serving/check.ts';
import { ListenError, type ListenOptions } from '../serving/http-server.ts';
import { type WebhookHandler, webhookHandler } from '../webhooks/webhook-handler.ts';
import { serveWebhooks } from '../webhooks/webhook-server.ts';
import { webhookTransport } from '../webhooks/webhook-transport.ts';
import type { StopSchedule } from './stop-schedule.ts';

/** Where webhooks are answered over HTTPS. */
export interface WebhookListenOptions extends Omit<ListenOptions, 'port' | 'tls'> {
  /** @default 9443 */
  readonly port?: number | undefined;
  /**
   * A certificate and its key: as files, of which what replaces them is used within ten seconds, or as PEM. Whoever gives
   * them tells the API server whom to trust. @default the operator makes its own, and tells its configurations and
   * definitions
   */
  readonly tls?: ListenOptions['tls'];
  /** Names and addresses by which it is called beside its Service's, for the certificate that it makes. @default none */
  readonly hosts?: readonly string[] | undefined;
  /** How long they are answered after a stop began: so long may it take until no caller comes any more. @default 5000 */
  readonly drainMs?: number | undefined;
}

/** Takes the way to an operator's webhooks in this process; what it returns is disposed when they end. */
export type WebhookDoor = (transport: Transport) => Disposable;

export interface WebhookParts {
  readonly informers: SharedInformers;
  readonly namespaces: readonly string[] | undefined;
  readonly settings: unknown;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** What answers an operator's webhooks. Their caches begin to fill. */
export function handlerOf(operator: EngineOperator, { informers, namespaces, ...parts }: WebhookParts): WebhookHandler {
  const webhooks = (operator.webhooks ?? []).map((webhook) => ({
    webhook,
    cache: createReadCaches(webhook.reads ?? [], informers, { manager: operator.name, namespaces }),
  }));
  return webhookHandler({ webhooks, kinds: convertedKinds(operator), ...parts });
}

/** Who the operator is, and how it keeps its own certificates. */
export interface CertificateParts {
  readonly operator: EngineOperator;
  readonly client: Client;
  /** Of its pods, and so of its Service and its Secret. */
  readonly namespace: string;
  /** Whose pods the replicas are: the Secret goes with it. */
  readonly deployment: NamespacedName | undefined;
  readonly random: Random;
}

/** Webhooks that are answered once they are opened, and whether they are. */
export interface OpenableWebhooks {
  readonly checks: readonly Check[];
  /** How it stands with the certificate; in process there is none. */
  readonly certificate: (() => CertificateHealth) | undefined;
  /** They are answered until it is disposed. `stop` is aborted when the process shall stop. */
  open(stop: AbortSignal, schedule: StopSchedule): Promise<AsyncDisposable>;
}

export function webhooksAt(
  handler: WebhookHandler,
  options: WebhookListenOptions | WebhookDoor,
  parts: Pick<WebhookParts, 'logger' | 'clock'> & CertificateParts,
): OpenableWebhooks {
  const { logger, clock } = parts;
  let isOpen = () => false;
  const check = () => ({ name: 'webhook', problem: isOpen() ? undefined : 'the server does not listen' });
  if (typeof options === 'function') {
    return {
      get checks() {
        return [check()];
      },
      certificate: undefined,
      async open() {
        const opened = options(webhookTransport(handler));
        isOpen = () => true;
        return {
          async [Symbol.asyncDispose]() {
            isOpen = () => false;
            opened[Symbol.dispose]();
          },
        };
      },
    };
  }
  let certificates: ServingCertificates | undefined;
  const certificate = () => certificates?.health ?? notYet;
  return {
    get checks() {
      return [check(), certificateCheck(certificate(), clock.now())];
    },
    certificate,
    async open(stop, { requests: giveUp }) {
      const { port = webhookPort, drainMs = 5000 } = options;
      const onError = (error: Error) => logger.error('The webhook server failed at something', { error });
      const kept = await certificatesOf(options, { ...parts, onError });
      certificates = kept;
      const serving = { handler, certificates, onError, clock, drainMs, stop, giveUp };
      const server = await serveWebhooks({ ...options, port }, serving).catch(async (error: unknown) => {
        await kept[Symbol.asyncDispose]();
        throw error;
      });
      isOpen = () => server.isListening;
      logger.info('starting server', { name: 'webhook', addr: `${options.host ?? '[::]'}:${server.port}` });
      return {
        async [Symbol.asyncDispose]() {
          await server[Symbol.asyncDispose]();
          await kept[Symbol.asyncDispose]();
        },
      };
    },
  };
}

const notYet: CertificateHealth = { problem: 'it is not looked for yet', remarks: [], expiresAt: undefined };

async function certificatesOf(
  { tls, hosts = [] }: WebhookListenOptions,
  { operator, client, namespace, deployment, logger, clock, random, onError }: CertificateSources,
): Promise<ServingCertificates> {
  if (tls === undefined) {
    const { service, secret } = webhookNames(operator);
    return keepCertificates({
      client,
      secret: `${namespace}/${secret}`,
      deployment,
      hosts: [`${service}.${namespace}.svc`, ...hosts],
      trustedBy: trustingObjectsOf(operator),
      logger,
      clock,
      random,
    });
  }
  if ('certificate' in tls) return givenCertificates(tls, clock);
  return certificatesFromFiles(tls, { onError, clock }).catch((error: unknown) => {
    throw new ListenError(`The webhook server has no certificate: ${(error as Error).message}.`, { cause: error });
  });
}

interface CertificateSources extends Pick<WebhookParts, 'logger' | 'clock'>, CertificateParts {
  readonly onError: (error: Error) => void;
}
