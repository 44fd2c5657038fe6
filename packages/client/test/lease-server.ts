/** As much of an API server as a Lease needs: one object, optimistic concurrency. */
import type { TransportRequest, TransportResponse } from '@keelson/core';

type Body = Readonly<Record<string, unknown>> & {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly holderIdentity?: string } & Readonly<Record<string, unknown>>;
};

export class LeaseServer {
  lease: Body | undefined;
  #revision = 0;

  /** Grows with each write. */
  get revision(): number {
    return this.#revision;
  }

  get holder(): string | undefined {
    return this.lease?.spec.holderIdentity;
  }

  /** Whether watches are served; otherwise they are refused, as by a role that is older than they are. */
  mayBeWatched = false;
  #onWrite = Promise.withResolvers<void>();

  /** Answers one request. */
  serve({ method, path, body, signal }: TransportRequest): TransportResponse {
    if (path.includes('watch=')) {
      if (!this.mayBeWatched) return failure(403, 'Forbidden');
      return { status: 200, headers: { 'content-type': 'application/json' }, body: this.#events(signal) };
    }
    if (method === 'GET') return this.lease ? answer(200, this.lease) : failure(404, 'NotFound');
    const sent = JSON.parse(String(body)) as Body;
    if (method === 'POST') return this.lease ? failure(409, 'AlreadyExists') : this.write(sent);
    if (!this.lease) return failure(404, 'NotFound');
    const { resourceVersion } = sent.metadata;
    const isCurrent = resourceVersion === undefined || resourceVersion === this.lease.metadata.resourceVersion;
    return isCurrent ? this.write(sent) : failure(409, 'Conflict');
  }

  write(sent: Body): TransportResponse {
    this.#revision += 1;
    this.lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(this.#revision) } };
    this.#onWrite.resolve();
    this.#onWrite = Promise.withResolvers();
    return answer(200, this.lease);
  }

  async *#events(signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
    for (let type = 'ADDED'; !signal?.aborted; type = 'MODIFIED') {
      if (this.lease) yield Buffer.from(`${JSON.stringify({ type, object: this.lease })}\n`);
      await Promise.race([this.#onWrite.promise, aborted]);
    }
  }
}

/** The answer to any other write. */
export function done(): TransportResponse {
  return answer(200, { metadata: { name: 'written' } });
}

/** The server did nothing, and says when to come back. */
export function busy(): TransportResponse {
  const { status, headers, body } = failure(429, 'TooManyRequests');
  return { status, headers: { ...headers, 'retry-after': '2' }, body };
}

export function failure(status: number, reason: string): TransportResponse {
  return answer(status, { kind: 'Status', code: status, reason, message: reason, details: { name: 'lease' } });
}

/** Whatever the server says. */
export function answer(status: number, value: unknown): TransportResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: once(Buffer.from(JSON.stringify(value))) };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
