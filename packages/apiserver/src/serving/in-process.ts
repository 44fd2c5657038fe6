/**
 * The server without sockets: a request is a function call, its answer a value.
 *
 * Promises: nothing here waits for anything but microtasks, so that a virtual clock knows when nothing is left to run.
 */
import type { Transport, TransportRequest, TransportResponse } from '@keelson/core';
import { accountGroups, accountOf } from '../authenticate/service-account-name.ts';
import { type ApiRequest, type ApiResponse, isStream, type Sink } from '../request/exchange.ts';
import { allAuthenticated, type User, withGroup } from '../request/user.ts';

export type RequestHandler = (request: ApiRequest) => Promise<ApiResponse>;

/** Requests come from `caller`, unless they carry credentials of their own. */
export function inProcessTransport(handle: RequestHandler, caller: User): Transport {
  const user = complete(caller);
  return {
    request(request) {
      const { signal, beforeSend } = request;
      if (signal?.aborted) return Promise.reject(signal.reason);
      try {
        beforeSend?.(); // nothing lies between here and the server
      } catch (error) {
        return Promise.reject(error);
      }
      const response = handle(asApiRequest(request, user));
      return new Promise((resolve, reject) => {
        const onAbort = () => reject(signal?.reason);
        signal?.addEventListener('abort', onAbort, { once: true });
        response
          .then((response) => {
            signal?.removeEventListener('abort', onAbort);
            // The caller no longer waits for it, so a stream must not begin.
            if (!signal?.aborted) resolve(asTransportResponse(response, signal));
          })
          .catch(reject);
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** A service account that is given no groups has its own, and every user is authenticated. */
function complete(user: User): User {
  const account = user.groups.length === 0 ? accountOf(user.name) : undefined;
  const grouped = account === undefined ? user : { ...user, groups: accountGroups(account.namespace) };
  return withGroup(grouped, allAuthenticated);
}

/** Here a header has one value: several groups are impersonated through a socket, or by `transportAs`. */
function impersonationIn(headers: TransportRequest['headers']): ApiRequest['impersonation'] {
  let found: Map<string, readonly string[]> | undefined;
  for (const name in headers) {
    const value = headers[name];
    if (!name.startsWith('impersonate-') || value === undefined) continue;
    found ??= new Map();
    found.set(name, [value]);
  }
  return found;
}

function asApiRequest({ method, path, headers, body }: TransportRequest, user: User): ApiRequest {
  const [pathname = '', search = ''] = splitOnce(path, '?');
  return {
    method,
    path: pathname,
    query: new URLSearchParams(search),
    headers,
    body: body === undefined ? undefined : typeof body === 'string' ? Buffer.from(body) : asBuffer(body),
    credentials: headers.authorization === undefined ? { certificate: user } : {},
    impersonation: impersonationIn(headers),
    host: 'in-process',
  };
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function splitOnce(text: string, separator: string): readonly string[] {
  const index = text.indexOf(separator);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + separator.length)];
}

function asTransportResponse(response: ApiResponse, signal: AbortSignal | undefined): TransportResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) {
    headers[name] = typeof value === 'string' ? value : value.join(', ');
  }
  const { body } = response;
  if (!isStream(body)) return { status: response.status, headers, body: finished(body) };
  return { status: response.status, headers, body: new OpenBody(body, signal) };
}

async function* finished(chunks: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  if (chunks.length > 0) yield Buffer.concat(chunks);
}

/** A stream that is being read: what has been written since the last look comes in one piece. */
class OpenBody implements Sink, AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  #chunks: Buffer[] = [];
  #pending = 0;
  #ended = false;
  #failure: { readonly reason: unknown } | undefined;
  #wake: (() => void) | undefined;
  readonly #source: Disposable;
  readonly #signal: AbortSignal | undefined;

  constructor(open: (sink: Sink) => Disposable, signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#source = open(this);
  }

  get pending(): number {
    return this.#pending;
  }

  write(bytes: Buffer): void {
    if (this.#ended) return;
    this.#chunks.push(bytes);
    this.#pending += bytes.length;
    this.#signalReader();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#signalReader();
  }

  /** Whoever reads here is no further away than the next microtask. */
  abort(): void {
    this.end();
  }

  readonly #onAbort = () => {
    this.#failure = { reason: this.#signal?.reason };
    this.#chunks = [];
    this.#source[Symbol.dispose]();
    this.end();
  };

  #signalReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.reason;
      if (this.#chunks.length > 0) {
        const [first] = this.#chunks;
        const value = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
        this.#chunks = [];
        this.#pending = 0;
        return { done: false, value };
      }
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#source[Symbol.dispose]();
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
