/**
 * One request and its answer.
 *
 * An aborted signal rejects at once, wherever the request is, and closes the connection if anything was sent on it. The
 * answer's bytes are handed over as they come, or gathered where that was asked for, and the socket is paused when the
 * reader falls behind.
 */
import type { Clock, TransportRequest, TransportResponse } from '@keelson/core';
import type { AnswerHead } from './answer-parser.ts';
import type { Connection, ExchangeSink } from './connection.ts';
import type { Connections, Loan } from './connections.ts';
import { transportFailure } from './failure.ts';
import { Gathering } from './gathering.ts';
import { requestHead } from './request-head.ts';
import type { TlsIdentity } from './tls-identity.ts';

/** More than this unread, and the socket pauses. */
const highWaterMark = 1024 * 1024;
/** What a chunk takes beside its bytes: a server may send them one by one. */
const chunkBytes = 200;

export interface ExchangeTarget {
  readonly connections: Connections;
  readonly clock: Clock;
  readonly tls: TlsIdentity;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes every path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export async function exchange(
  { connections, clock, tls, origin, prefix, headers }: ExchangeTarget,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { signal, method, path, body, streaming = false } = request;
  let head: string;
  let loan: Loan;
  try {
    head = requestHead({ method, path: prefix + path, headers, body });
    loan = await connections.borrow(tls, streaming, signal);
  } catch (error) {
    throw signal?.aborted ? signal.reason : transportFailure(origin, error);
  }
  return new Promise((resolve, reject) => {
    new Exchange({ origin, clock, loan, request, resolve, reject }).send(head);
  });
}

interface ExchangeParts {
  readonly origin: string;
  readonly clock: Clock;
  readonly loan: Loan;
  readonly request: TransportRequest;
  readonly resolve: (response: TransportResponse) => void;
  readonly reject: (error: unknown) => void;
}

class Exchange implements ExchangeSink {
  readonly #origin: string;
  readonly #clock: Clock;
  readonly #loan: Loan;
  readonly #request: TransportRequest;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  #body: Body | undefined;
  #gathering: Gathering | undefined;
  #isOver = false;

  constructor({ origin, clock, loan, request, resolve, reject }: ExchangeParts) {
    this.#origin = origin;
    this.#clock = clock;
    this.#loan = loan;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(head: string): void {
    const { body, beforeSend, signal } = this.#request;
    try {
      beforeSend?.();
      signal?.throwIfAborted();
    } catch (error) {
      this.#isOver = true;
      this.#loan.giveBack();
      this.#reject(error);
      return;
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#loan.connection.send(head, body, this);
  }

  onHead({ status, headers }: AnswerHead): void {
    const { gatherMs } = this.#request;
    const body = new Body(this.#loan.connection, () => this.#cut(new Error('the reader left')));
    if (gatherMs) {
      const onRest = (isResting: boolean) => body.rest(isResting);
      this.#gathering = new Gathering({ gatherMs, clock: this.#clock, onPiece: (piece) => body.push(piece), onRest });
    }
    this.#body = body;
    this.#resolve({ status, headers, body });
  }

  onData(bytes: Uint8Array): void {
    (this.#gathering ?? this.#body)?.push(bytes);
  }

  onEnd(): void {
    if (!this.#finish()) return;
    this.#gathering?.end();
    this.#body?.end();
  }

  onFailure(error: Error): void {
    if (!this.#finish()) return;
    const failure = transportFailure(this.#origin, error);
    this.#gathering?.end();
    if (this.#body) this.#body.fail(failure);
    else this.#reject(failure);
  }

  readonly #onAbort = () => this.#cut(this.#request.signal?.reason);

  #cut(reason: unknown): void {
    if (!this.#finish()) return;
    if (this.#body) this.#body.cut(reason);
    else this.#reject(reason);
    this.#gathering?.end();
  }

  /** Whether it was going on until now. A connection that is given back in the middle of an answer is closed. */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#request.signal?.removeEventListener('abort', this.#onAbort);
    this.#loan.giveBack();
    return true;
  }
}

/** The bytes of one answer, for one reader. */
class Body implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #connection: Connection;
  readonly #leave: () => void;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  /** The reader has so much to catch up with that nothing more is read. */
  #isBehind = false;
  #isResting = false;
  #isPaused = false;
  #end: { readonly error?: unknown } | undefined;
  #reader: { resolve(result: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void } | undefined;

  constructor(connection: Connection, leave: () => void) {
    this.#connection = connection;
    this.#leave = leave;
  }

  push(chunk: Uint8Array): void {
    if (this.#end) return;
    const reader = this.#reader;
    if (reader) {
      this.#reader = undefined;
      reader.resolve({ value: chunk, done: false });
      return;
    }
    this.#chunks.push(chunk);
    this.#unread += chunk.length + chunkBytes;
    if (this.#unread > highWaterMark) this.#isBehind = true;
    this.#regulate();
  }

  /** Whether nothing more is read, however little the reader has. */
  rest(isResting: boolean): void {
    this.#isResting = isResting;
    this.#regulate();
  }

  end(): void {
    this.#end ??= {};
    this.#reader?.resolve({ value: undefined, done: true });
    this.#reader = undefined;
  }

  /** What came before the error stays readable. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#reader?.reject(error);
    this.#reader = undefined;
  }

  /** Ends the reading at once. */
  cut(reason: unknown): void {
    this.#chunks = [];
    this.fail(reason);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.#chunks.shift();
    if (chunk) {
      this.#unread -= chunk.length + chunkBytes;
      if (this.#unread <= highWaterMark / 2) this.#isBehind = false;
      this.#regulate();
      return Promise.resolve({ value: chunk, done: false });
    }
    if (this.#end) {
      if ('error' in this.#end) return Promise.reject(this.#end.error as Error);
      return Promise.resolve({ value: undefined, done: true });
    }
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#end) {
      this.#end = {};
      this.#leave();
    }
    this.#chunks = [];
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Until the answer is complete; the connection is another's then. */
  #regulate(): void {
    const isPaused = this.#isBehind || this.#isResting;
    if (this.#end || isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) this.#connection.pause();
    else this.#connection.resume();
  }
}
