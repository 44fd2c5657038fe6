/**
 * The undici agents of one configuration: one for requests, with a bound on its connections, and one for streams, where
 * each has a connection of its own. New ones are made when a certificate changes; the old then finish what they have.
 */
import type { Agent, Dispatcher } from 'undici';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { TlsIdentity } from './identity.ts';

export interface AgentLimits {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
}

interface Pair {
  readonly tls: TlsIdentity;
  readonly requests: Dispatcher;
  readonly streams: Dispatcher;
}

/** Shorter than what servers and balancers keep (Go's HTTP server 90 s, many balancers 60 s), so that we close first. */
const keepAliveTimeoutMs = 30_000;

export class Agents implements AsyncDisposable {
  readonly #config: ClusterConfig;
  readonly #limits: AgentLimits;
  #current: Pair | undefined;
  readonly #retired = new Set<Dispatcher>();
  #isDisposed = false;

  constructor(config: ClusterConfig, limits: AgentLimits) {
    this.#config = config;
    this.#limits = limits;
  }

  async dispatcherFor(tls: TlsIdentity, streaming: boolean): Promise<Dispatcher> {
    const undici = await import('undici'); // late: it costs more to load than all of this package
    if (this.#current === undefined || !isSame(this.#current.tls, tls)) {
      this.#retire();
      this.#current = {
        tls,
        requests: this.#dispatcher(undici, tls, this.#limits.maxConnections),
        streams: this.#dispatcher(undici, tls, undefined),
      };
    }
    const dispatcher = streaming ? this.#current.streams : this.#current.requests;
    if (this.#isDisposed) await dispatcher.destroy();
    return dispatcher;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    const { requests, streams } = this.#current ?? {};
    const all = [requests, streams, ...this.#retired].filter((dispatcher) => dispatcher !== undefined);
    await Promise.all(all.map((dispatcher) => dispatcher.destroy()));
  }

  #retire(): void {
    if (!this.#current) return;
    for (const dispatcher of [this.#current.requests, this.#current.streams]) {
      this.#retired.add(dispatcher);
      const gone = () => this.#retired.delete(dispatcher);
      dispatcher.close().then(gone, gone);
    }
  }

  #dispatcher(undici: typeof import('undici'), tls: TlsIdentity, connections: number | undefined): Dispatcher {
    const { serverName, insecureSkipVerify } = this.#config.tls;
    const tlsOptions = {
      ca: tls.ca,
      cert: tls.certificate,
      key: tls.key,
      rejectUnauthorized: !insecureSkipVerify,
      timeout: this.#limits.connectTimeoutMs,
      allowH2: false,
      ...(serverName === undefined ? {} : { servername: serverName }),
    };
    const options: Agent.Options = {
      connections: connections ?? null,
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    };
    const proxyUrl = this.#config.proxyUrl?.reveal();
    if (proxyUrl !== undefined) return new undici.ProxyAgent({ ...options, uri: proxyUrl, requestTls: tlsOptions });
    const connect = undici.buildConnector(tlsOptions);
    return new undici.Agent({
      ...options,
      // undici prefers the name in the URL to the configured one.
      connect: serverName === undefined ? connect : (to, done) => connect({ ...to, servername: serverName }, done),
    });
  }
}

function isSame(a: TlsIdentity, b: TlsIdentity): boolean {
  return a.ca === b.ca && a.certificate === b.certificate && a.key === b.key;
}
