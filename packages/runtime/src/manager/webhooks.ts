/**
 * The webhooks of an operator at work, on every replica: answered over HTTPS, or in process by whoever is given the door.
 *
 * Promises: they answer until the rest of the process has stopped.
 */
import type { SharedInformers } from '@keelson/client';
import { type Clock, convertedKinds, type Transport, webhookPort } from '@keelson/core';
import { createReadCaches } from '../cache/caches.ts';
import type { EngineOperator } from '../controller/engine-operator.ts';
import type { Logger } from '../log/logger.ts';
import type { WebhookMetrics } from '../metrics/webhook-metrics.ts';
import { type WebhookHandler, webhookHandler } from '../webhooks/webhook-handler.ts';
import { type ShownCertificates, serveWebhooks } from '../webhooks/webhook-server.ts';
import { webhookTransport } from '../webhooks/webhook-transport.ts';
import type { Check } from './health.ts';
import type { ListenOptions } from './http-server.ts';
import type { StopSchedule } from './stop-schedule.ts';

/** Where webhooks are answered over HTTPS. */
export interface WebhookListenOptions extends Omit<ListenOptions, 'port'> {
  /** @default 9443 */
  readonly port?: number | undefined;
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

/** Webhooks that are answered once they are opened, and whether they are. */
export interface OpenableWebhooks {
  readonly check: Check;
  /** They are answered until it is disposed. `stop` is aborted when the process shall stop. */
  open(stop: AbortSignal, schedule: StopSchedule): Promise<AsyncDisposable>;
}

export function webhooksAt(
  handler: WebhookHandler,
  options: WebhookListenOptions | WebhookDoor,
  { logger, clock }: Pick<WebhookParts, 'logger' | 'clock'>,
): OpenableWebhooks {
  let isOpen = false;
  return {
    get check() {
      return { name: 'webhook', problem: isOpen ? undefined : 'the server does not listen yet' };
    },
    async open(stop, { requests: giveUp }) {
      if (typeof options === 'function') {
        const opened = options(webhookTransport(handler));
        isOpen = true;
        return { [Symbol.asyncDispose]: async () => opened[Symbol.dispose]() };
      }
      const { port = webhookPort, drainMs = 5000 } = options;
      const certificates = certificatesOf(options.tls);
      const onError = (error: Error) => logger.error('The webhook server failed at something', { error });
      const parts = { handler, certificates, onError, clock, drainMs, stop, giveUp };
      const server = await serveWebhooks({ ...options, port }, parts);
      isOpen = true;
      logger.info('starting server', { name: 'webhook', addr: `${options.host ?? '[::]'}:${server.port}` });
      return server;
    },
  };
}

function certificatesOf(tls: ListenOptions['tls']): ShownCertificates {
  if (tls === undefined || !('certificate' in tls)) throw new TypeError('createManager: give webhooks.tls');
  return { current: tls, subscribe: () => ({ [Symbol.dispose]() {} }) };
}
