/**
 * The way to the server under judgement: plain HTTP requests through undici, and nothing else.
 *
 * Promises: what is sent is what the case says, with no retries and no added query; every wait has a deadline.
 */
import { systemClock } from '@keelson/core/system';
import { Agent, request } from 'undici';
import { Answer, Disagreement, describeSent, type Sent } from './exchange.ts';
import type { Connection } from './kubeconfig.ts';
import { Watch } from './watch.ts';

const requestDeadlineMs = 60_000;

export type Query = Readonly<Record<string, string | number | boolean>>;

export interface RequestOptions {
  readonly query?: Query;
  /** A list is sent as so many headers of one name. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Sent as it is if it is a string or undefined, else as JSON. */
  readonly body?: unknown;
}

export class Api implements AsyncDisposable {
  readonly #connection: Connection;
  readonly #agent: Agent;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        rejectUnauthorized: !connection.skipVerification,
        ...(connection.certificateAuthority ? { ca: connection.certificateAuthority } : {}),
        ...(connection.clientCertificate ? { cert: connection.clientCertificate } : {}),
        ...(connection.clientKey ? { key: connection.clientKey } : {}),
      },
    });
  }

  async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const sent = this.#sent(method, path, options);
    const controller = new AbortController();
    using _ = systemClock.setTimer(requestDeadlineMs, () =>
      controller.abort(new Disagreement(`no answer within ${requestDeadlineMs / 1000} s`, describeSent(sent))),
    );
    const { statusCode, headers, body } = await this.#request(sent, controller.signal);
    return new Answer(sent, statusCode, headers, await body.text());
  }

  /** Opens a watch; the server must accept it. */
  async watch(path: string, options: RequestOptions = {}): Promise<Watch> {
    const sent = this.#sent('GET', path, { ...options, query: { watch: true, ...options.query } });
    const controller = new AbortController();
    const { statusCode, headers, body } = await this.#request(sent, controller.signal);
    if (statusCode !== 200) {
      throw new Answer(sent, statusCode, headers, await body.text()).disagreement('the watch was not opened');
    }
    return new Watch(new Answer(sent, statusCode, headers, ''), body, controller);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #sent(method: string, path: string, { query = {}, headers = {}, body }: RequestOptions): Sent {
    const search = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const { token } = this.#connection;
    return {
      method,
      target: search ? `${path}?${search}` : path,
      headers: {
        'user-agent': 'conformance/1.0',
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    };
  }

  #request({ method, target, headers, body }: Sent, signal: AbortSignal) {
    return request(`${this.#connection.server}${target}`, {
      method: method as 'GET',
      headers: headers as Record<string, string | string[]>,
      body: body ?? null,
      dispatcher: this.#agent,
      signal,
    });
  }
}
