/**
 * The HTTPS server that the API server calls.
 *
 * Promises: what it shows changes with its certificates, and without a valid one it takes no connection. A body is read to
 * its limit and no further. A stop is a drain: it answers on for as long as others may not know of it yet, asks callers
 * to come by a new connection, then takes no more of them, and ends when the last call is answered.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Clock, sleep } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';
import { nodeHttps } from '../late-modules.ts';
import { aborted } from '../serving/aborted.ts';
import { bind, type HttpServer, type ListenOptions, type ServerParts } from '../serving/http-server.ts';
import { maxBodyBytes, type WebhookAnswer, type WebhookHandler } from './webhook-handler.ts';

/** What the server shows, and that it changes. */
interface ShownCertificates {
  /** `undefined` while there is nothing that is valid. */
  readonly current: Identity | undefined;
  subscribe(listener: () => void): Disposable;
}

export interface WebhookServerParts extends ServerParts {
  readonly handler: WebhookHandler;
  readonly certificates: ShownCertificates;
  /** How long it answers on after a stop began. */
  readonly drainMs: number;
  /** Aborted when the process shall stop. */
  readonly stop: AbortSignal;
  /** Aborted when calls that have no answer yet are given up. */
  readonly giveUp: AbortSignal;
}

export interface WebhookServer extends HttpServer {
  /** Whether it takes new connections. */
  readonly isListening: boolean;
}

export async function serveWebhooks(
  options: Omit<ListenOptions, 'tls'>,
  { handler, certificates, onError, clock, drainMs, stop, giveUp }: WebhookServerParts,
): Promise<WebhookServer> {
  const open = new Set<Promise<void>>();
  const server = nodeHttps().createServer((request, response) => {
    // A connection may be older than the end of what it was shown.
    if (certificates.current === undefined) return void request.socket.destroy();
    const answering = answer(request, response, handler, stop).catch((error: Error) => {
      response.destroy();
      onError(error);
    });
    open.add(answering);
    void answering.then(() => open.delete(answering));
  }) as Server & { setSecureContext(pair: { readonly cert: string; readonly key: string }): void };
  const show = () => {
    const { current } = certificates;
    if (current !== undefined) server.setSecureContext({ cert: current.certificate, key: current.key });
  };
  server.prependListener('connection', (socket: Socket) => {
    if (certificates.current === undefined) socket.destroy();
  });
  // As controller-runtime has it: who sends nothing does not hold a connection.
  server.headersTimeout = 32_000;
  const port = await bind('webhook', server, options, onError);
  const subscription = certificates.subscribe(show);
  show(); // what came while the port was taken
  const stopped = stoppedFor(drainMs, stop, clock);
  return {
    port,
    get isListening() {
      return server.listening;
    },
    async [Symbol.asyncDispose]() {
      await Promise.race([stopped(), aborted(giveUp)]);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      await Promise.race([Promise.all(open), aborted(giveUp)]);
      server.closeAllConnections();
      await closed;
      subscription[Symbol.dispose]();
    },
  };
}

/** Settles when a stop has been going on for `ms`; without one, at once. */
function stoppedFor(ms: number, stop: AbortSignal, clock: Clock): () => Promise<void> {
  let over = Promise.resolve();
  const begin = () => {
    over = sleep(clock, ms);
  };
  if (stop.aborted) begin();
  else stop.addEventListener('abort', begin, { once: true });
  return () => over;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  handler: WebhookHandler,
  stop: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the caller has gone'));
  });
  const body = await bodyOf(request).catch(() => gone.abort());
  if (gone.signal.aborted) return;
  const {
    status,
    contentType,
    body: text,
  }: WebhookAnswer = body === undefined
    ? { status: 413, contentType: 'text/plain', body: `the limit is ${maxBodyBytes} bytes\n` }
    : await handler({
        method: request.method ?? '',
        path: request.url ?? '/',
        contentType: request.headers['content-type'],
        body,
        signal: gone.signal,
      });
  // Who has left gets no answer: a second `close` would never come.
  if (gone.signal.aborted) return;
  // Who is asked not to keep a connection finds another replica with the next.
  const goodbye = stop.aborted || body === undefined ? { connection: 'close' } : {};
  await new Promise<void>((resolve) => {
    response.on('close', resolve);
    response.writeHead(status, { 'content-type': contentType, ...goodbye }).end(text);
  });
}

/** `undefined` for one that is too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
