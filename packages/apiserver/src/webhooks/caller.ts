/**
 * Asks a webhook: a review goes out, a review comes back.
 *
 * Promises: no answer is waited for longer than the timeout, by the clock; behind a Service everything stays in the process,
 * at a URL it is HTTPS, for which nothing is loaded before the first call. What goes wrong is a `CallError` in Go's words.
 * Does not: follow redirects, or try again what a webhook asks to have tried again.
 */
import type { Clock, Transport } from '@keelson/core';
import { parseJson, parseYaml } from '../decode/body.ts';
import { JsonSyntaxError } from '../decode/strict-json.ts';
import { isObject, type JsonObject } from '../object.ts';
import type { ObjectReader } from '../resource/resource.ts';
import type { ServiceAddress, Services } from '../services.ts';
import { CallError, ClientError } from './call-error.ts';
import { type Address, addressOf, type ClientConfig } from './client-config.ts';
import { httpProblem } from './http-problem.ts';
import type { HttpsPoster, PostResponse } from './https-post.ts';

export interface CallerOptions {
  readonly clock: Clock;
  readonly services?: Services | undefined;
  readonly objects: Pick<ObjectReader, 'find'>;
}

const headers = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': 'kube-apiserver-admission',
};
const deadline = Symbol('deadline');

export class WebhookCaller implements Disposable {
  readonly #options: CallerOptions;
  #poster: HttpsPoster | undefined;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /** The review that comes back; of which kind it is, and what it says, is the caller's to judge. */
  async ask(
    config: ClientConfig,
    review: JsonObject,
    timeoutSeconds: number,
    tookTooLong = 'context deadline exceeded',
  ): Promise<JsonObject> {
    const { clock } = this.#options;
    const address = addressOf(config);
    const url = `${address.url}?timeout=${timeoutSeconds}s`;
    const stop = new AbortController();
    const over = Promise.withResolvers<typeof deadline>();
    using _ = clock.setTimer(timeoutSeconds * 1000, () => {
      over.resolve(deadline);
      stop.abort(new Error('the webhook took too long'));
    });
    const answer = await Promise.race([
      this.#post({ ...address, url }, config, JSON.stringify(review), stop.signal),
      over.promise,
    ]);
    if (answer === deadline) throw new CallError(`Post ${JSON.stringify(url)}: ${tookTooLong}`);
    return await decoded(answer);
  }

  [Symbol.dispose](): void {
    this.#poster?.[Symbol.dispose]();
  }

  #post(address: Address, config: ClientConfig, body: string, signal: AbortSignal): Promise<PostResponse> {
    const { url, service } = address;
    const sent =
      service === undefined ? this.#overHttps(url, config, body, signal) : this.#toService(url, service, body, signal);
    // After the deadline nobody listens any more.
    sent.catch(() => {});
    return sent;
  }

  async #overHttps(url: string, { caBundle }: ClientConfig, body: string, signal: AbortSignal): Promise<PostResponse> {
    if (this.#poster === undefined) {
      const { HttpsPoster: Poster } = await import('./https-post.ts');
      this.#poster ??= new Poster();
    }
    const authority = authorityOf(caBundle);
    return await this.#poster.post({ url, authority, headers, body, signal, now: this.#options.clock.now() });
  }

  async #toService(url: string, service: ServiceAddress, body: string, signal: AbortSignal): Promise<PostResponse> {
    const transport = this.#options.services?.(service);
    try {
      if (transport === undefined) throw new Error(this.#unreachable(service));
      const { pathname, search } = new URL(url);
      return await posted(transport, `${pathname}${search}`, body, signal);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new CallError(`Post ${JSON.stringify(url)}: ${why}`, { cause: error });
    }
  }

  #unreachable({ namespace, name, port }: ServiceAddress): string {
    const found = this.#options.objects.find('services', `${namespace}/${name}`);
    if (found === undefined) return `service ${JSON.stringify(name)} not found`;
    const { clusterIP = '' } = (found.spec ?? {}) as { readonly clusterIP?: string };
    return `dial tcp ${clusterIP}:${port}: connect: connection refused`;
  }
}

/** Without any, the authorities of the system are trusted. */
function authorityOf(caBundle = ''): string | undefined {
  if (caBundle === '') return undefined;
  const text = Buffer.from(caBundle, 'base64').toString();
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ClientError('unable to load root certificates: unable to parse bytes as PEM block');
}

async function posted(transport: Transport, path: string, body: string, signal: AbortSignal): Promise<PostResponse> {
  const response = await transport.request({ method: 'POST', path, headers, body, signal });
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return {
    status: response.status,
    contentType: response.headers['content-type'] ?? '',
    body: Buffer.concat(chunks).toString(),
  };
}

async function decoded({ status, contentType, body }: PostResponse): Promise<JsonObject> {
  if (status < 200 || status > 206) throw new CallError(httpProblem(status, body));
  if (body === '') {
    const type = contentType === '' ? 'application/json' : contentType;
    throw new CallError(`0-length response with status code: ${status} and content type: ${type}`);
  }
  const value = await parsed(body);
  if (value === null) return {};
  if (isObject(value)) return value;
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  throw new CallError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go value of type ${struct}`,
  );
}

async function parsed(body: string): Promise<unknown> {
  try {
    return (body.trimStart().startsWith('{') ? parseJson(body, false) : await parseYaml(body, false)).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new CallError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}
