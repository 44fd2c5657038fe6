/**
 * POST over HTTPS, for webhooks at a URL: the one place where this server is a client of the network.
 *
 * Promises: what goes wrong is said in the words of Go's client, certificates included; connections are kept for the next
 * call, as long as address and authority are the same.
 */
import { Agent, request } from 'node:https';
import { isIP } from 'node:net';
import { CallError } from './call-error.ts';
import { certificateProblem, isCertificateError } from './certificate-problem.ts';

export interface PostRequest {
  readonly url: string;
  /** PEM; the authorities of the system without it. */
  readonly authority: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  /** Wall time, for certificates that are not valid now. */
  readonly now: number;
}

export interface PostResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export class HttpsPoster implements Disposable {
  readonly #agents = new Map<string, Agent>();

  async post(wanted: PostRequest): Promise<PostResponse> {
    try {
      return await this.#send(wanted);
    } catch (error) {
      throw await described(error, wanted);
    }
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #agentFor({ url, authority }: PostRequest): Agent {
    const key = `${new URL(url).origin} ${authority ?? ''}`;
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      agent = new Agent({ keepAlive: true, ...(authority !== undefined && { ca: authority }) });
      this.#agents.set(key, agent);
    }
    return agent;
  }

  #send(wanted: PostRequest, isSecond = false): Promise<PostResponse> {
    const { url, headers, body, signal } = wanted;
    return new Promise((resolve, reject) => {
      const call = request(url, { method: 'POST', headers, signal, agent: this.#agentFor(wanted) }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            contentType: response.headers['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      call.on('error', (error: NodeJS.ErrnoException) => {
        // A connection that was kept, and that the other side has closed meanwhile, says nothing about the webhook.
        if (call.reusedSocket && error.code === 'ECONNRESET' && !isSecond) resolve(this.#send(wanted, true));
        else reject(error);
      });
      call.end(body);
    });
  }
}

/** One of several addresses that were tried may stand for all. */
const firstOf = (error: unknown): NodeJS.ErrnoException & { address?: string; port?: number } =>
  (error instanceof AggregateError ? (error.errors[0] ?? error) : error) as NodeJS.ErrnoException;

async function described(error: unknown, wanted: PostRequest): Promise<CallError> {
  const { url } = wanted;
  const { hostname } = new URL(url);
  const first = firstOf(error);
  const { code = '', address = hostname, port = 0 } = first;
  const at = isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`;
  const words = async (): Promise<string> => {
    if (isCertificateError(code))
      return `tls: failed to verify certificate: x509: ${await certificateProblem(first, wanted)}`;
    if (code === 'ECONNREFUSED') return `dial tcp ${at}: connect: connection refused`;
    if (code === 'ENOTFOUND') return `dial tcp: lookup ${hostname}: no such host`;
    if (code === 'EPROTO') return 'http: server gave HTTP response to HTTPS client';
    return code === 'ECONNRESET' ? 'EOF' : first.message;
  };
  return new CallError(`Post ${JSON.stringify(url)}: ${await words()}`, { cause: error });
}
