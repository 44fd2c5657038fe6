/**
 * One request and its answer.
 *
 * An aborted signal rejects at once, wherever the request is, and closes the connection if anything was sent on it. The
 * answer's bytes are handed over as they come, and the socket is paused when the reader falls behind.
 */
import type { TransportRequest, TransportResponse } from '@keelson/core';
import type { AnswerHead } from './answer-parser.ts';
import type { Connection, ExchangeSink } from './connection.ts';
import type { Connections, Loan } from './connections.ts';
import { transportFailure } from './failure.ts';
import { requestHead } from './request-head.ts';
import type { TlsIdentity } from './tls-identity.ts';

/** More than this unread, and the socket pauses. */
const highWaterMark = 1024 * 1024;
/** What a chunk takes beside its bytes: a server may send them one by one. */
const chunkBytes = 200;

export interface ExchangeTarget {
  readonly connections: Connections;
  readonly tls: TlsIdentity;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes every path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

export async function exchange(
  { connections, tls, origin, prefix, headers }: ExchangeTarget,
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
    new Exchange(origin, loan, signal, resolve, reject).send(head, request);
  });
}

class Exchange implements ExchangeSink {
  readonly #origin: string;
  readonly #loan: Loan;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  #body: Body | undefined;
  #isOver = false;

  constructor(
    origin: string,
    loan: Loan,
    signal: AbortSignal | undefined,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#origin = origin;
    this.#loan = loan;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  send(head: string, { body, beforeSend }: TransportRequest): void {
    try {
      beforeSend?.();
      this.#signal?.throwIfAborted();
    } catch (error) {
      this.#isOver = true;
      this.#loan.giveBack();
      this.#reject(error);
      return;
    }
    this.#signal?.addEventListener('abort', this.#onAbort, { once: true });
    this.#loan.connection.send(head, body, this);
  }

  onHead({ status, headers }: AnswerHead): void {
    this.#body = new Body(this.#loan.connection, () => this.#cut(new Error('the reader left')));
    this.#resolve({ status, headers, body: this.#body });
  }

  onData(bytes: Uint8Array): void {
    this.#body?.push(bytes);
  }

  onEnd(): void {
    if (this.#finish()) this.#body?.end();
  }

  onFailure(error: Error): void {
    if (!this.#finish()) return;
    const failure = transportFailure(this.#origin, error);
    if (this.#body) this.#body.fail(failure);
    else this.#reject(failure);
  }

  readonly #onAbort = () => this.#cut(this.#signal?.reason);

  #cut(reason: unknown): void {
    if (!this.#finish()) return;
    if (this.#body) this.#body.cut(reason);
    else this.#reject(reason);
  }

  /** Whether it was going on until now. A connection that is given back in the middle of an answer is closed. */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
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
    if (this.#unread > highWaterMark && !this.#isPaused) this.#pause(true);
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
      if (this.#isPaused && this.#unread <= highWaterMark / 2) this.#pause(false);
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
  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (this.#end) return;
    if (isPaused) this.#connection.pause();
    else this.#connection.resume();
  }
}
