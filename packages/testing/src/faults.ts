/**
 * Faults between operators and the API server: requests that fail, answers that are lost, delays, watches that are cut.
 *
 * Promises: which request meets which fault follows from the seed and the order of requests, so that a run that found
 * something can be run again. The cluster's own controllers and the test's client meet none.
 */
import {
  type Clock,
  type Random,
  sleep,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@keelson/core';

/**
 * `fail`: the request does not arrive, or is answered with 429, 500 or 503. `lose`: it is carried out, and its answer does
 * not arrive. `delay`: it arrives later. `cut`: a watch ends, in the middle of an event if need be.
 */
export type Fault = 'fail' | 'lose' | 'delay' | 'cut';

/** How likely each fault is, from 0 to 1. */
export interface FaultOptions {
  /** For each request. @default 0 */
  readonly fail?: number;
  /** For each request. @default 0 */
  readonly lose?: number;
  /** For each request. @default 0 */
  readonly delay?: number;
  /** The longest delay. @default 30_000 */
  readonly delayMs?: number;
  /** For each event of a watch. @default 0 */
  readonly cut?: number;
}

/** The faults of a cluster; a test can order single ones and put an end to them. */
export class Faults {
  readonly #options: FaultOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #counts: Record<Fault, number> = { fail: 0, lose: 0, delay: 0, cut: 0 };
  readonly #ordered: { readonly fault: Fault; readonly matches: (request: TransportRequest) => boolean }[] = [];
  #isPaused = false;

  constructor(options: FaultOptions, clock: Clock, random: Random) {
    for (const name of ['fail', 'lose', 'delay', 'cut'] as const) {
      const chance = options[name] ?? 0;
      if (!(chance >= 0 && chance <= 1))
        throw new RangeError(`faults: ${name} must be a probability from 0 to 1, received ${chance}`);
    }
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** How many of each there were. */
  get counts(): Readonly<Record<Fault, number>> {
    return { ...this.#counts };
  }

  /** The next request that matches meets this fault, whatever the probabilities; a watch can be `cut`. */
  next(fault: Fault, matches: (request: TransportRequest) => boolean = () => true): void {
    this.#ordered.push({ fault, matches });
  }

  /** None until `resume`, except those that are ordered. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  /** The way to the server, with these faults on it. */
  on(transport: Transport): Transport {
    return {
      request: (request) => this.#request(transport, request),
      [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
    };
  }

  async #request(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
    const what = `${request.method} ${request.path}`;
    if (this.#meets('delay', request)) {
      await sleep(this.#clock, this.#random.next() * (this.#options.delayMs ?? 30_000), request.signal);
    }
    if (this.#meets('fail', request)) return this.#failed(what);
    const isLost = this.#meets('lose', request);
    const response = await transport.request(request);
    if (isLost) {
      for await (const _ of request.streaming ? [] : response.body);
      throw new TransportError(what, 'the answer was lost (a fault of the test)');
    }
    return request.streaming ? { ...response, body: this.#cutting(response.body, request) } : response;
  }

  #failed(what: string): TransportResponse {
    const kind = Math.floor(this.#random.next() * 4);
    const code = [0, 429, 500, 503][kind] ?? 0;
    if (code === 0) throw new TransportError(what, 'the connection was refused (a fault of the test)');
    const reason = { 429: 'TooManyRequests', 500: 'InternalError', 503: 'ServiceUnavailable' }[code];
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code };
    const message = 'a fault of the test';
    const headers = { 'content-type': 'application/json', ...(code === 429 && { 'retry-after': '1' }) };
    return { status: code, headers, body: chunks(JSON.stringify({ ...status, message })) };
  }

  async *#cutting(body: AsyncIterable<Uint8Array>, request: TransportRequest): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      if (this.#meets('cut', request)) {
        yield chunk.subarray(0, Math.floor(this.#random.next() * chunk.length));
        throw new TransportError(`${request.method} ${request.path}`, 'the watch was cut (a fault of the test)');
      }
      yield chunk;
    }
  }

  #meets(fault: Fault, request: TransportRequest): boolean {
    const ordered = this.#ordered.findIndex((each) => each.fault === fault && each.matches(request));
    const chance = this.#options[fault] ?? 0;
    const isMet = ordered >= 0 || (chance > 0 && !this.#isPaused && this.#random.next() < chance);
    if (ordered >= 0) this.#ordered.splice(ordered, 1);
    if (isMet) this.#counts[fault] += 1;
    return isMet;
  }
}

async function* chunks(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}
