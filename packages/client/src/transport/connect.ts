/**
 * HTTPS to one API server.
 *
 * Promises: connections are kept and bounded; a stream has one for itself while it lasts, outside that bound; an
 * aborted signal rejects at once and closes the socket; a 401 is tried once more with renewed credentials where there
 * can be any (the server did not act). Every other failure is a `TransportError` that says what to look at. An answer is
 * never unpacked unless that was asked for, and comes with a function that takes our secrets out of what it says.
 * Does not: repeat requests, follow redirects or keep time, apart from making a connection; that is the client's.
 */
import { setMaxListeners } from 'node:events';
import {
  type Clock,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import type { ClusterConfig, Impersonation } from '../config/cluster-config.ts';
import { bytesOf } from './bytes.ts';
import { Connections } from './connections.ts';
import { exchange } from './exchange.ts';
import { codeOf } from './failure.ts';
import { type Identity, type IdentitySource, identitySource } from './identity.ts';
import { SecretMask } from './secret-mask.ts';
import { credentialOf, keyText, secretsOf } from './secrets-of.ts';
import { untilAborted } from './until-aborted.ts';

/** How connections to the server are made and used. */
export interface ConnectOptions {
  /** Sent as `user-agent`. @default 'keelson' */
  readonly userAgent?: string | undefined;
  /** Connections for requests; streams are not counted. @default 16 */
  readonly maxConnections?: number | undefined;
  /** How long a connection may take to be made. @default 30_000 */
  readonly connectTimeoutMs?: number | undefined;
  /** Ask for gzip where the configuration allows it; close to the server it costs more than it saves. @default false */
  readonly compression?: boolean | undefined;
  /** The environment of exec plugins. @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/** Opens nothing by itself: the first request does. Dispose it to close all its connections, and to end an exec plugin. */
export function connect(config: ClusterConfig, options: ConnectOptions = {}): Transport {
  const { maxConnections = 16, connectTimeoutMs = 30_000 } = options;
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw new RangeError(`connect: maxConnections must be a positive integer, not ${maxConnections}`);
  }
  if (!(connectTimeoutMs > 0)) {
    throw new RangeError(`connect: connectTimeoutMs must be greater than 0, not ${connectTimeoutMs}`);
  }
  const clock = options.clock ?? systemClock;
  const disposal = new AbortController();
  const { signal } = disposal;
  setMaxListeners(0, signal); // each connection in the making listens; before Node 24 more than ten may bring a warning
  const mask = new SecretMask(secretsOf(config));
  return new HttpTransport(config, {
    clock,
    mask,
    connections: new Connections(config, { maxConnections, connectTimeoutMs, clock, mask: mask.mask, signal }),
    identities: identitySource(config, clock, options.env ?? process.env, signal),
    disposal,
    headers: {
      host: new URL(config.server).host,
      'user-agent': options.userAgent ?? 'keelson',
      ...(options.compression && !config.disableCompression ? { 'accept-encoding': 'gzip' } : {}),
      ...(config.impersonate ? impersonationHeaders(config.impersonate) : {}),
    },
  });
}

/** What this transport adds to an answer. */
export interface ExplainedResponse extends TransportResponse {
  /** To one that refuses us: which credentials that was about, for people. */
  readonly hint?: string | undefined;
  /** Takes our secrets out of a text that came with the answer. */
  readonly mask?: ((text: string) => string) | undefined;
}

/** Of an answer that is read only to use its connection again; a longer one is not worth it. */
const maxDrainedBytes = 64 * 1024;
/** Headers that a caller adds, and only the server may read. */
const secretHeaders = /auth|cookie|token|secret|key|passw|credential/i;

interface Parts {
  readonly clock: Clock;
  readonly mask: SecretMask;
  readonly connections: Connections;
  readonly identities: IdentitySource;
  readonly disposal: AbortController;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

class HttpTransport implements Transport {
  readonly #parts: Parts;
  readonly #origin: string;
  readonly #prefix: string;
  /** What was sent last, so that it is not looked at again for each request. */
  #known: { readonly authorization: string | undefined; readonly key: string | undefined } | undefined;

  constructor(config: ClusterConfig, parts: Parts) {
    const { origin, pathname } = new URL(config.server);
    this.#origin = origin;
    this.#prefix = pathname.replace(/\/+$/, '');
    this.#parts = parts;
  }

  async request(request: TransportRequest): Promise<ExplainedResponse> {
    // Credentials are shared by many requests, so an abort leaves them alone and only lets this request go.
    let identity = await untilAborted(this.#parts.identities.current(), request.signal);
    let response = await this.#send(request, identity);
    if (response.status === 401 && identity.renew()) {
      await bytesOf(response.body, maxDrainedBytes);
      identity = await untilAborted(this.#parts.identities.current(), request.signal);
      response = await this.#send(request, identity);
    }
    return response.status === 401 ? { ...response, hint: identity.describe() } : response;
  }

  async #send(request: TransportRequest, identity: Identity): Promise<ExplainedResponse> {
    const { authorization, tls } = identity;
    const headers = { ...this.#parts.headers, ...request.headers };
    if (authorization !== undefined) headers.authorization = authorization;
    this.#learn(request, identity);
    const { connections, clock } = this.#parts;
    const response = await exchange(
      { connections, clock, tls, origin: this.#origin, prefix: this.#prefix, headers },
      request,
    );
    const body = await this.#unpacked(response);
    return { ...response, body, mask: this.#parts.mask.mask };
  }

  /** What of this request must not be readable in an error, should the other side quote it. */
  #learn({ headers }: TransportRequest, { authorization, tls }: Identity): void {
    const { mask } = this.#parts;
    if (authorization !== undefined && authorization !== this.#known?.authorization) {
      mask.learn('authorization', credentialOf(authorization));
    }
    if (tls.key !== undefined && tls.key !== this.#known?.key) mask.learn('key', keyText(tls.key));
    this.#known = { authorization, key: tls.key };
    for (const name in headers) if (secretHeaders.test(name)) mask.learn(`header ${name}`, headers[name] ?? '');
  }

  async #unpacked({ status, headers, body }: TransportResponse): Promise<AsyncIterable<Uint8Array>> {
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') return body;
    if (encoding === 'gzip' && 'accept-encoding' in this.#parts.headers) return gunzip(this.#origin, body);
    await body[Symbol.asyncIterator]().return?.();
    if (status >= 300) return nothing(); // that it is a failure is what counts
    const shown = this.#parts.mask.mask(encoding.slice(0, 50));
    throw new TransportError(
      this.#origin,
      `the answer is packed (${shown}), and nobody asked for that; is a proxy in between?`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.disposal.abort(new TransportError(this.#origin, 'the transport is closed'));
  }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}

async function* gunzip(origin: string, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const [{ createGunzip }, { Readable, pipeline }] = await Promise.all([import('node:zlib'), import('node:stream')]);
  const decoder = createGunzip();
  pipeline(Readable.from(body), decoder, () => {}); // a failure destroys the decoder, and the loop below meets it
  try {
    yield* decoder;
  } catch (error) {
    const isPacking = codeOf(error).startsWith('Z_');
    throw isPacking
      ? new TransportError(origin, 'the answer is not packed as it says (gzip)', { cause: error })
      : error;
  }
}

function impersonationHeaders({ user, uid, groups, extra }: Impersonation): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = { 'impersonate-user': asHeader(user) };
  if (uid !== undefined) headers['impersonate-uid'] = asHeader(uid);
  if (groups.length > 0) headers['impersonate-group'] = groups.map(asHeader);
  for (const key in extra) headers[`impersonate-extra-${asHeaderName(key)}`] = (extra[key] ?? []).map(asHeader);
  return headers;
}

/** The server reads UTF-8; a head is written with one byte for each character. */
function asHeader(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

/** A key may hold characters that a header name may not; the server decodes percent signs. */
function asHeaderName(key: string): string {
  return encodeURIComponent(key.toLowerCase()).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
}
