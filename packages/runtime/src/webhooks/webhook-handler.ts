/**
 * What answers when the API server calls: a path and bytes in, a status and a text out, whoever carries them.
 *
 * Promises: each call is answered before the server stops to wait, whatever the author's code does; its failures are
 * reported here, counted, and told to the caller as a failed call and without their words, so that the failurePolicy
 * decides. A call waits until the caches of its webhook are complete.
 */
import { type Clock, conversionPath, deadline, isObject, type JsonObject, type Kind, webhookPath } from '@keelson/core';
import { type ReadCaches, requiredCachesSynced } from '../cache/caches.ts';
import type { Logger } from '../log/logger.ts';
import { errorOf } from '../log/thrown.ts';
import type { WebhookMetrics } from '../metrics/webhook-metrics.ts';
import { admit, type ReviewRequest } from './admission.ts';
import { type ConversionRequest, convertAll } from './conversion.ts';
import type { Webhook } from './webhook.ts';

export interface WebhookCall {
  readonly method: string;
  /** Path and query, such as `/validate/memcached?timeout=10s`. */
  readonly path: string;
  readonly contentType: string | undefined;
  readonly body: Uint8Array;
  /** Aborted when the caller has gone. */
  readonly signal?: AbortSignal | undefined;
}

export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type WebhookHandler = (call: WebhookCall) => Promise<WebhookAnswer>;

export interface WebhookHandlerOptions {
  readonly webhooks: readonly { readonly webhook: Webhook; readonly cache: ReadCaches }[];
  /** The kinds that are converted. */
  readonly kinds: readonly Kind[];
  readonly settings: unknown;
  readonly metrics: WebhookMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** As controller-runtime has it: twice what the API server takes itself, and something to spare. */
export const maxBodyBytes = 7 * 1024 * 1024;

/** The server's own, where it does not say. */
const defaultTimeoutMs = 10_000;
/** How long before the server stops to wait an answer is given up, so that the user reads ours. */
const headStartMs = 200;

type Route = (review: JsonObject, signal: AbortSignal) => Promise<WebhookAnswer>;

export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { metrics, clock, logger } = options;
  const routes = routesOf(options);
  for (const path of routes.keys()) metrics.expect(path);

  return async ({ method, path: target, contentType, body, signal }) => {
    const url = URL.parse(target, 'https://webhook');
    if (url === null) return plain(400, 'this is no path');
    const { pathname: path, searchParams } = url;
    const route = routes.get(path);
    if (route === undefined) return plain(404, 'there is no webhook at this path');
    const ended = metrics.begin(path);
    const answer = await answered();
    ended(answer.status);
    return answer;

    async function answered(): Promise<WebhookAnswer> {
      if (method !== 'POST') return plain(405, 'a webhook is called by POST');
      if (body.byteLength > maxBodyBytes) return plain(413, `the limit is ${maxBodyBytes} bytes`);
      if (contentType?.split(';', 1)[0]?.trim() !== 'application/json') {
        return plain(400, `contentType=${contentType ?? ''}, expected application/json`);
      }
      const review = parsed(body);
      if (review === undefined) return plain(400, 'the body is no review that can be read');
      const timeoutMs = timeoutIn(searchParams.get('timeout')) ?? defaultTimeoutMs;
      const patienceMs = Math.max(timeoutMs / 2, timeoutMs - headStartMs);
      using time = deadline(clock, patienceMs, `webhook ${path}`, signal);
      try {
        return await Promise.race([route?.(review, time.signal) ?? plain(404, ''), rejected(time.signal)]);
      } catch (thrown) {
        const error = errorOf(thrown, `webhook ${path}`);
        logger.error('Webhook error', { webhook: path, error });
        if (!time.signal.aborted) metrics.panicked(path);
        return plain(500, `webhook ${path} ${time.signal.aborted ? 'took too long' : 'failed'}; its log says why`);
      }
    }
  };
}

function routesOf(options: WebhookHandlerOptions): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const { webhook, cache } of options.webhooks) {
    const logger = options.logger.with({ webhook: webhook.name });
    const { settings, clock } = options;
    for (const part of ['mutate', 'validate'] as const) {
      if (!(part === 'mutate' ? webhook.defaults : webhook.validates)) continue;
      routes.set(webhookPath(part, webhook), async (review, signal) => {
        const request = requestIn<ReviewRequest>(review, 'AdmissionReview', 'admission.k8s.io/v1');
        if (request === undefined) return plain(400, 'the body is no AdmissionReview of admission.k8s.io/v1');
        await requiredCachesSynced(cache);
        const response = await admit(part, webhook, request, { cache, settings, clock, logger, signal });
        return json({ apiVersion: review.apiVersion, kind: review.kind, response });
      });
    }
  }
  if (options.kinds.length > 0) {
    routes.set(conversionPath, async (review) => {
      const request = requestIn<ConversionRequest>(review, 'ConversionReview', 'apiextensions.k8s.io/v1');
      if (request === undefined) return plain(400, 'the body is no ConversionReview of apiextensions.k8s.io/v1');
      const response = convertAll(options.kinds, request, {
        onFailure: (thrown) => {
          options.metrics.panicked(conversionPath);
          options.logger.error('Conversion error', { error: errorOf(thrown, 'a conversion') });
        },
        onWarning: (text, object) => options.logger.warn(`Conversion: ${text}`, { object }),
      });
      return json({ apiVersion: review.apiVersion, kind: review.kind, response });
    });
  }
  return routes;
}

function requestIn<T>({ apiVersion, kind, request }: JsonObject, expected: string, version: string): T | undefined {
  return kind === expected && apiVersion === version && isObject(request) ? (request as T) : undefined;
}

function parsed(body: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** As Go prints durations of whole seconds: `10s`. */
function timeoutIn(text: string | null): number | undefined {
  const [, seconds] = /^(\d+)s$/.exec(text ?? '') ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

const rejected = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

const plain = (status: number, body: string): WebhookAnswer => ({
  status,
  contentType: 'text/plain',
  body: `${body}\n`,
});

const json = (value: unknown): WebhookAnswer => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify(value),
});
