/**
 * Sends the requests of a client: within the call's lifetime, again where `retry.ts` allows it, behind the rate limit,
 * measured. A failure leaves here as an `ApiError` or a `TransportError` that names the action.
 */
import {
  ApiError,
  type Clock,
  isTransportError,
  type Random,
  sleep,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from '@keelson/core';
import type { TokenBucket } from '../limits/token-bucket.ts';
import { bytesOf } from '../transport/bytes.ts';
import type { ExplainedResponse } from '../transport/connect.ts';
import { isBrokenConnection } from '../transport/failure.ts';
import { parseAnswer, statusOf, warningsOf } from '../transport/response.ts';
import { type AnswerKind, maxBytesOf, tooLarge } from './bounds.ts';
import { callObserver } from './call-observer.ts';
import { Lifetime } from './lifetime.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { type Outcome, retryAfterMs, retryDelay } from './retry.ts';

export interface Call {
  /** Such as `get deployments.apps default/cache`. */
  readonly action: string;
  readonly method: TransportRequest['method'];
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** @default 'application/json' */
  readonly accept?: string | undefined;
  /** Whether it may happen twice: a read, or an apply that does not depend on what happened before. */
  readonly isRepeatable: boolean;
  /** What the answer is, which bounds it. @default 'object' */
  readonly answer?: AnswerKind | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
  /** Of a stream: how long it may be left unread once something came. */
  readonly gatherMs?: (() => number) | undefined;
  /** Must agree to each sending. */
  readonly guard?: (() => void) | undefined;
}

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly bucket: TokenBucket | undefined;
  readonly headers: (() => Readonly<Record<string, string>>) | undefined;
  readonly metrics: RequestMetrics | undefined;
}

const defaultTimeoutMs = 30_000;

export class Caller {
  readonly #options: CallerOptions;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** Starts the time that a call, or several that belong together, may take. */
  lifetime(action: string, timeoutMs = defaultTimeoutMs, signals: readonly AbortSignal[] = []): Lifetime {
    return new Lifetime(this.#options.clock, timeoutMs, action, signals);
  }

  /** The answer's JSON. */
  async send(call: Call, lifetime: Lifetime): Promise<unknown> {
    return this.#repeat(call, lifetime, async (attempt) => {
      const response = await this.#request(call, lifetime, false);
      const { answer = 'object' } = call;
      const isFailure = response.status >= 300;
      const maxBytes = maxBytesOf[isFailure ? 'failure' : answer];
      const bytes = await bytesOf(response.body, maxBytes);
      attempt.finished(response, bytes.length);
      tellWarnings(call, response);
      if (isFailure) throw new Refusal(response, bytes);
      if (bytes.length > maxBytes) throw new TransportError(call.action, tooLarge(answer));
      return parseAnswer(call.action, response, bytes);
    });
  }

  /** The answer's bytes as they come, once it has begun well. The lifetime's time no longer counts then. */
  async open(call: Call, lifetime: Lifetime): Promise<ExplainedResponse> {
    return this.#repeat(call, lifetime, async (attempt) => {
      const response = await this.#request(call, lifetime, true);
      const bytes = response.status >= 300 ? await bytesOf(response.body, maxBytesOf.failure) : undefined;
      attempt.finished(response, bytes?.length ?? 0);
      tellWarnings(call, response);
      if (bytes) throw new Refusal(response, bytes);
      lifetime.stopTimer();
      return response;
    });
  }

  /** What an error on the way means to the caller of `action`. */
  failure(action: string, error: unknown, { signal, expiry }: Lifetime): unknown {
    if (error instanceof Refusal) return new ApiError(action, error.toStatus());
    if (signal.aborted && error === signal.reason) {
      if (!expiry || error !== expiry) return error; // the caller's own, whatever it is
      return new TransportError(action, `no answer within ${expiry.afterMs / 1000} s`, { cause: error });
    }
    // One that names the action was made on this side, of an answer that cannot be read.
    if (isTransportError(error) && !error.message.startsWith(`${action}: `)) {
      return new TransportError(action, error.message, { cause: error });
    }
    return error;
  }

  async #repeat<T>(call: Call, lifetime: Lifetime, once: (attempt: Attempt) => Promise<T>): Promise<T> {
    const { clock, random, metrics } = this.#options;
    for (let tries = 1; ; tries++) {
      await this.#throttle(call, lifetime);
      const attempt = new Attempt(call, tries, clock, metrics);
      try {
        return await once(attempt);
      } catch (error) {
        attempt.failed();
        const outcome = lifetime.signal.aborted ? undefined : outcomeOf(error, clock);
        const delayMs = outcome && retryDelay({ tries, isRepeatable: call.isRepeatable, outcome }, random);
        if (delayMs === undefined || delayMs >= lifetime.remainingMs())
          throw this.failure(call.action, error, lifetime);
        await this.#pause(call, delayMs, lifetime);
      }
    }
  }

  async #request(call: Call, lifetime: Lifetime, streaming: boolean): Promise<ExplainedResponse> {
    const { transport, headers } = this.#options;
    call.guard?.(); // before anything is prepared; the transport asks again at the last moment
    return transport.request({
      method: call.method,
      path: call.path,
      headers: {
        accept: call.accept ?? 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...headers?.(),
      },
      body: call.body,
      signal: lifetime.signal,
      streaming,
      gatherMs: call.gatherMs,
      beforeSend: call.guard,
    });
  }

  async #throttle(call: Call, lifetime: Lifetime): Promise<void> {
    const { bucket, metrics } = this.#options;
    if (!bucket) return;
    // A call that is not sent takes no turn: neither one that has ended, nor one that cannot wait, nor one that leaves.
    if (lifetime.signal.aborted) throw this.failure(call.action, lifetime.signal.reason, lifetime);
    const waitedMs = bucket.reserve(lifetime.remainingMs());
    if (waitedMs === undefined) {
      throw new TransportError(call.action, 'the rate limit of this client leaves no time for it');
    }
    if (waitedMs === 0) return;
    try {
      await this.#pause(call, waitedMs, lifetime);
    } catch (error) {
      bucket.giveBack();
      throw error;
    }
    callObserver(() => metrics?.throttled?.({ method: call.method, waitedMs }));
  }

  async #pause(call: Call, ms: number, lifetime: Lifetime): Promise<void> {
    await sleep(this.#options.clock, ms, lifetime.signal).catch((error: unknown) => {
      throw this.failure(call.action, error, lifetime);
    });
  }
}

function tellWarnings({ onWarning }: Call, { headers, mask }: ExplainedResponse): void {
  for (const warning of warningsOf(headers.warning, mask)) callObserver(() => onWarning?.(warning));
}

/** The server answered with a failure; not yet an error of anyone's. */
class Refusal extends Error {
  readonly response: ExplainedResponse;
  readonly #bytes: Buffer;

  constructor(response: ExplainedResponse, bytes: Buffer) {
    super(`status ${response.status}`);
    this.response = response;
    this.#bytes = bytes;
  }

  toStatus() {
    return statusOf(this.response, this.#bytes);
  }
}

function outcomeOf(error: unknown, clock: Clock): Outcome | undefined {
  if (error instanceof Refusal) {
    const { status, headers } = error.response;
    return { type: 'answer', status, retryAfterMs: retryAfterMs(headers['retry-after'], clock.now()) };
  }
  return isBrokenConnection(error) ? { type: 'broken' } : undefined;
}

/** Measures one try. */
class Attempt {
  readonly #call: Call;
  readonly #tries: number;
  readonly #clock: Clock;
  readonly #metrics: RequestMetrics | undefined;
  readonly #since: number;
  #code = '<error>';

  constructor(call: Call, tries: number, clock: Clock, metrics: RequestMetrics | undefined) {
    this.#call = call;
    this.#tries = tries;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#since = clock.monotonic();
  }

  finished({ status }: TransportResponse, responseBytes: number): void {
    this.#code = String(status);
    this.#report(responseBytes);
  }

  failed(): void {
    if (this.#code === '<error>') this.#report(0);
  }

  #report(responseBytes: number): void {
    const metrics = this.#metrics;
    if (!metrics) return;
    const { method, body } = this.#call;
    const code = this.#code;
    const durationMs = this.#clock.monotonic() - this.#since;
    const requestBytes = body === undefined ? 0 : Buffer.byteLength(body);
    if (this.#tries > 1) callObserver(() => metrics.retried?.({ method, code }));
    callObserver(() => metrics.finished?.({ method, code, durationMs, requestBytes, responseBytes }));
  }
}
