/**
 * The server on the network: HTTPS on the loopback address.
 *
 * Promises: closing it ends every connection and every open watch at once, and touches no state; another listener on the same
 * server goes on where it stopped.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getBuiltinModule } from 'node:process';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '@keelson/core/system';
import type { Identity } from '@keelson/core/x509';
import { maxBodyBytes } from '../decode/body.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type Credentials,
  isStream,
  jsonResponse,
  type Sink,
} from '../request/exchange.ts';
import { credentialId } from '../request/user.ts';
import { StatusError } from '../status.ts';
import type { RequestHandler } from './in-process.ts';
import { openWebSocket } from './web-socket.ts';

/**
 * Loaded with the first listener: https takes 20 ms of CPU, which a server in the process need not spend. And never by
 * `import`, which reads every member of a built-in module: of http, one is a getter that loads an HTTP client, for 50 ms.
 */
const https = () => getBuiltinModule('node:https');
const http = () => getBuiltinModule('node:http');

export interface HttpsListener extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

export async function serveHttps(
  handle: RequestHandler,
  options: {
    readonly port: number;
    readonly server: Identity;
    readonly authority: string;
    readonly patience?: Patience | undefined;
    /** Hears of what fails while it listens, such as to accept a connection. */
    readonly onError?: ((error: unknown) => void) | undefined;
  },
): Promise<HttpsListener> {
  const { port, server: identity, authority, patience = kubernetesPatience, onError } = options;
  const streams = new Set<Disposable>();
  const lines = new WeakMap<Socket, Line>();
  const server = https().createServer(
    {
      ...onlyWebSockets,
      cert: identity.certificate,
      key: identity.key,
      ca: authority,
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: patience.headersMs,
      // Node looks after all connections at once, now and then.
      connectionsCheckingInterval: Math.min(patience.headersMs, 4000),
      keepAliveTimeoutBuffer: 0,
    },
    (request, response) => {
      let line = lines.get(request.socket);
      if (line === undefined) {
        line = new Line();
        lines.set(request.socket, line);
      }
      line.join(request, response, () => serve(handle, request, response, streams, patience));
    },
  );
  // Node knows connections as its own once their handshake is done. One that is in the middle of it when the server closes
  // would be served afterwards, and a watch that it then asks for would never let the server go.
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    upgrade(handle, { request, socket, head }, streams).catch((error: unknown) => {
      socket.destroy();
      onError?.(error);
    });
  });
  // A watch may be silent for an hour; these are about who has not asked yet, or asks no more.
  server.keepAliveTimeout = patience.idleMs;
  server.headersTimeout = patience.headersMs;
  server.requestTimeout = 0;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Who was waited for in vain is told nothing; who speaks another language hears it as from Go.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable) socket.destroy();
    else
      socket.end(
        'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request',
      );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
  // Without anyone who hears of it, it would end the process.
  server.on('error', (error) => onError?.(error));
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `https://127.0.0.1:${bound}`,
    port: bound,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const stream of [...streams]) stream[Symbol.dispose]();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  };
}

/** Who asks for something else instead of HTTP is answered as if it had not. Node's types do not know the option yet. */
const onlyWebSockets = {
  shouldUpgradeCallback: ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket',
};

/** How long the server waits for those who say nothing; the defaults are those of kube-apiserver. */
export interface Patience {
  /** For the handshake, and from there to the end of the first headers. */
  readonly headersMs: number;
  /** For a body. */
  readonly bodyMs: number;
  /** Between the answer to one request and the next. */
  readonly idleMs: number;
}

const kubernetesPatience: Patience = { headersMs: 32_000, bodyMs: 60_000, idleMs: 90_000 };

/** Requests that may wait for one on the same connection; as many as kube-apiserver takes side by side by HTTP/2. */
const maxWaiting = 100;

/** The requests of one connection, one at a time: a watch that never ends keeps those behind it waiting. */
class Line {
  #last = Promise.resolve();
  #waiting = 0;

  join(request: IncomingMessage, response: ServerResponse, work: () => Promise<void>): void {
    if (this.#waiting === maxWaiting) {
      request.socket.destroy();
      return;
    }
    this.#waiting += 1;
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    this.#last = this.#last.then(async () => {
      this.#waiting -= 1;
      if (request.socket.destroyed) return;
      try {
        await work();
        await ended;
      } catch {
        response.destroy();
      }
    });
  }
}

/** A request that wants to leave HTTP: it does if the answer is a WebSocket, and otherwise hears the answer. */
async function upgrade(
  handle: RequestHandler,
  connection: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  streams: Set<Disposable>,
): Promise<void> {
  const { request, socket } = connection;
  const open = { [Symbol.dispose]: () => socket.destroy() };
  streams.add(open);
  socket.once('close', () => streams.delete(open));
  socket.on('error', () => socket.destroy());
  const answer = await handle(described(request, undefined));
  if (answer.upgrade) return openWebSocket(answer.upgrade, connection);
  // Node has given the connection away, so that a response has to be put on it by hand.
  const response = new (http().ServerResponse)(request);
  response.assignSocket(socket);
  response.shouldKeepAlive = false;
  response.once('finish', () => socket.end());
  send(answer, response, streams);
}

async function serve(
  handle: RequestHandler,
  request: IncomingMessage,
  response: ServerResponse,
  streams: Set<Disposable>,
  { bodyMs }: Patience,
): Promise<void> {
  const timer = systemClock.setTimer(bodyMs, () => {
    send(tooSlow, response, streams);
    response.once('finish', () => request.socket.destroy());
  });
  const api = await asApiRequest(request);
  timer[Symbol.dispose]();
  if (api !== undefined && !response.headersSent) send(await handle(api), response, streams);
}

const tooSlow: ApiResponse = jsonResponse(
  504,
  new StatusError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', {}).status,
);

/** `undefined` when the client went away before it had said everything. */
async function asApiRequest(request: IncomingMessage): Promise<ApiRequest | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      // One byte too many is enough for the refusal; the rest is read and dropped.
      if (length <= maxBodyBytes + 65_536) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return described(request, length === 0 ? undefined : Buffer.concat(chunks));
}

function described(request: IncomingMessage, body: Buffer | undefined): ApiRequest {
  const { url = '/', method = 'GET', headers, socket } = request;
  const index = url.indexOf('?');
  return {
    method,
    path: index === -1 ? url : url.slice(0, index),
    query: new URLSearchParams(index === -1 ? '' : url.slice(index + 1)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
    ),
    body,
    credentials: credentialsOf(socket as TLSSocket),
    impersonation: impersonationIn(request),
    host: headers.host ?? '',
  };
}

function impersonationIn({ headers, headersDistinct }: IncomingMessage): ApiRequest['impersonation'] {
  const names = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  return names.length === 0 ? undefined : new Map(names.map((name) => [name, headersDistinct[name] ?? []]));
}

/** What was found out about a connection holds for all its requests. */
const known = new WeakMap<TLSSocket, Credentials>();

/** The subject of a certificate that our own authority has signed. */
function credentialsOf(socket: TLSSocket): Credentials {
  let credentials = known.get(socket);
  if (credentials === undefined) {
    credentials = socket.authorized ? certificateOf(socket) : {};
    known.set(socket, credentials);
  }
  return credentials;
}

function certificateOf(socket: TLSSocket): Credentials {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (subject?.CN === undefined) return {};
  const groups = (subject.O ?? []) as string | string[];
  const name = String(subject.CN);
  const extra = { [credentialId]: [`X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`] };
  return { certificate: { name, groups: typeof groups === 'string' ? [groups] : groups, extra } };
}

function send({ status, headers, body }: ApiResponse, response: ServerResponse, streams: Set<Disposable>): void {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === 'string' ? value : value.map(asHeader));
  if (!isStream(body)) {
    const bytes = body.length === 1 && body[0] !== undefined ? body[0] : Buffer.concat(body);
    if (status !== 204 && status !== 304) response.setHeader('content-length', bytes.length);
    response.writeHead(status);
    response.end(bytes);
    return;
  }
  response.writeHead(status);
  response.flushHeaders();
  const source = body(new ResponseSink(response));
  streams.add(source);
  response.once('close', () => {
    streams.delete(source);
    source[Symbol.dispose]();
  });
}

/** Headers are bytes to Node, and texts here are UTF-8. */
const asHeader = (text: string): string => Buffer.from(text).toString('latin1');

/** Writes of one turn leave in one piece. */
class ResponseSink implements Sink {
  readonly #response: ServerResponse;
  #chunks: Buffer[] = [];
  #unsent = 0;
  #ending = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get pending(): number {
    return this.#unsent + this.#response.writableLength;
  }

  write(bytes: Buffer): void {
    this.#chunks.push(bytes);
    this.#unsent += bytes.length;
    if (this.#chunks.length === 1) queueMicrotask(() => this.#flush());
  }

  abort(): void {
    this.#chunks = [];
    this.#unsent = 0;
    this.#response.destroy();
  }

  end(): void {
    this.#ending = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#unsent = 0;
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (chunks.length > 0) this.#response.write(Buffer.concat(chunks));
    if (this.#ending) this.#response.end();
  }
}
