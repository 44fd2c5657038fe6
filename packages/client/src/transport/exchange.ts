/**
 * One request and its answer on an undici dispatcher.
 *
 * undici tells an abort only to requests that have a connection, so one that still waits for it would outlive its
 * signal; here the caller is told at once. The answer's bytes are handed over as they come, without a stream in between,
 * and the socket is paused when the reader falls behind.
 */
import type { TransportRequest, TransportResponse } from '@keelson/core';
import type { Dispatcher } from 'undici';
import { transportFailure } from './failure.ts';

/** More than this unread, and the socket pauses. */
const highWaterMark = 1024 * 1024;
/** What a chunk takes beside its bytes: a server may send them one by one. */
const chunkBytes = 200;

export interface ExchangeTarget {
  readonly dispatcher: Dispatcher;
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes every path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

export function exchange(target: ExchangeTarget, request: TransportRequest): Promise<TransportResponse> {
  return new Promise((resolve, reject) => {
    const { signal } = request;
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const handler = new ExchangeHandler(target.origin, request, resolve, reject);
    target.dispatcher.dispatch(
      {
        origin: target.origin,
        path: target.prefix + request.path,
        method: request.method,
        headers: target.headers,
        body: request.body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #origin: string;
  readonly #signal: AbortSignal | undefined;
  readonly #beforeSend: (() => void) | undefined;
  readonly #resolve: (response: TransportResponse) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #body: Body | undefined;
  #aborted: { readonly reason: unknown } | undefined;

  constructor(
    origin: string,
    { signal, beforeSend }: TransportRequest,
    resolve: (response: TransportResponse) => void,
    reject: (error: unknown) => void,
  ) {
    this.#origin = origin;
    this.#signal = signal;
    this.#beforeSend = beforeSend;
    this.#resolve = resolve;
    this.#reject = reject;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = () => this.#abort(this.#signal?.reason);

  #abort(reason: unknown): void {
    this.#aborted = { reason };
    this.#finish();
    if (this.#body) this.#body.cut(reason);
    else this.#reject(reason);
    this.#controller?.abort(asError(reason));
  }

  #finish(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  /** undici has a connection and writes as soon as this returns. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) {
      controller.abort(asError(this.#aborted.reason));
      return;
    }
    try {
      this.#beforeSend?.();
    } catch (error) {
      this.#abort(error);
    }
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return;
    const body = new Body(controller, () => this.#abort(new Error('the reader left')));
    this.#body = body;
    this.#resolve({ status, headers: flat(headers), body });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish();
    const failure = this.#aborted ? this.#aborted.reason : transportFailure(this.#origin, error);
    if (this.#body) this.#body.fail(failure);
    else this.#reject(failure);
  }
}

/** The bytes of one answer, for one reader. */
class Body implements AsyncIterable<Uint8Array>, AsyncIterator<Uint8Array, undefined> {
  readonly #controller: Dispatcher.DispatchController;
  readonly #leave: () => void;
  #chunks: Uint8Array[] = [];
  #unread = 0;
  #end: { readonly error?: unknown } | undefined;
  #reader: { resolve(result: IteratorResult<Uint8Array, undefined>): void; reject(error: unknown): void } | undefined;

  constructor(controller: Dispatcher.DispatchController, leave: () => void) {
    this.#controller = controller;
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
    if (this.#unread > highWaterMark) this.#controller.pause();
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
      if (this.#controller.paused && this.#unread <= highWaterMark / 2) this.#controller.resume();
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
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string | undefined> {
  const flattened: Record<string, string | undefined> = {};
  for (const name in headers) {
    const value = headers[name];
    flattened[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flattened;
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}
