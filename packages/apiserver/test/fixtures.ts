/** A server in the process with a clock that tests move by hand and chance that repeats, and a way to talk to it. */
import assert from 'node:assert/strict';
import { type ApiServer, type ApiServerOptions, createApiServer } from '@keelson/apiserver';
import type { Clock, Random, Transport, TransportRequest } from '@keelson/core';

/** Time passes when a test says so; timers fire in the order of their due times. */
export class ManualClock implements Clock {
  #elapsedMs = 0;
  #order = 0;
  readonly #timers = new Set<{ readonly dueMs: number; readonly order: number; readonly callback: () => void }>();

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#elapsedMs;
  }

  monotonic(): number {
    return this.#elapsedMs;
  }

  setTimer(delayMs: number, callback: () => void) {
    const timer = { dueMs: this.#elapsedMs + delayMs, order: this.#order++, callback };
    this.#timers.add(timer);
    return { unref() {}, [Symbol.dispose]: () => void this.#timers.delete(timer) };
  }

  get waiting(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#elapsedMs + ms;
    for (;;) {
      const [next] = [...this.#timers]
        .filter(({ dueMs }) => dueMs <= end)
        .sort((a, b) => a.dueMs - b.dueMs || a.order - b.order);
      if (next === undefined) break;
      this.#elapsedMs = next.dueMs;
      this.#timers.delete(next);
      next.callback();
    }
    this.#elapsedMs = end;
  }
}

/** A small generator whose numbers repeat with its seed. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('');
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}` };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into at many places and judged by what is found there
type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  readonly body: Body;
}

type Headers = Readonly<Record<string, string>>;

export class Talk {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(method: TransportRequest['method'], path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const answer = await this.#transport.request({
      method,
      path,
      headers: {
        'user-agent': 'test/1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const isJson = answer.headers['content-type']?.startsWith('application/json');
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  /** Sends, and expects success. */
  async ok(method: TransportRequest['method'], path: string, body?: unknown, headers?: Headers): Promise<Body> {
    const answer = await this.send(method, path, body, headers);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  mergePatch(path: string, patch: unknown): Promise<Body> {
    return this.ok('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' });
  }

  async watch(path: string, headers: Headers = {}): Promise<Watching> {
    const stop = new AbortController();
    const answer = await this.#transport.request({
      method: 'GET',
      path,
      headers,
      signal: stop.signal,
      streaming: true,
    });
    assert.equal(answer.status, 200);
    return new Watching(answer.body, stop);
  }
}

/** The events of a watch, one after the other. */
export class Watching implements Disposable {
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #stop: AbortController;
  #rest = '';

  constructor(body: AsyncIterable<Uint8Array>, stop: AbortController) {
    this.#bytes = body[Symbol.asyncIterator]();
    this.#stop = stop;
  }

  /** `undefined` at the end of the watch. */
  async next(): Promise<{ readonly type: string; readonly object: Body } | undefined> {
    for (;;) {
      const index = this.#rest.indexOf('\n');
      if (index !== -1) {
        const line = this.#rest.slice(0, index);
        this.#rest = this.#rest.slice(index + 1);
        return JSON.parse(line);
      }
      const { done, value } = await this.#bytes.next();
      if (done) return undefined;
      this.#rest += Buffer.from(value).toString();
    }
  }

  /** The next `count` events, each as `TYPE name`. */
  async names(count: number): Promise<readonly string[]> {
    const names: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const event = await this.next();
      names.push(event === undefined ? 'end' : `${event.type} ${event.object.metadata?.name ?? ''}`.trim());
    }
    return names;
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error('the test is over'));
  }
}

export interface Started extends AsyncDisposable {
  readonly server: ApiServer;
  readonly clock: ManualClock;
  readonly talk: Talk;
}

export function startServer(options: ApiServerOptions = {}): Started {
  const clock = new ManualClock();
  const failures: unknown[] = [];
  const server = createApiServer({
    clock,
    random: seededRandom(1),
    onError: (error) => failures.push(error),
    ...options,
  });
  return {
    server,
    clock,
    talk: new Talk(server.transport),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      assert.deepEqual(failures, []);
    },
  };
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

export const configMap = (name: string, more: object = {}): object => ({
  metadata: { name, ...more },
  data: { key: '1' },
});
