/**
 * The undici agents of one configuration: one for requests, with a bound on its connections, and one for streams, where
 * each has a connection of its own. New ones are made when a certificate changes; the old then finish what they have.
 */
import type { Socket } from 'node:net';
import type { Clock } from '@keelson/core';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import type { ClusterConfig } from '../config/cluster-config.ts';
import type { TlsIdentity } from './tls-identity.ts';
import { type UndiciParts, undiciParts } from './undici-parts.ts';

export interface AgentLimits {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Takes our secrets out of what a proxy says. */
  readonly mask: (text: string) => string;
  /** Aborted when the transport closes, before the agents are disposed: ends connections that are still being made. */
  readonly signal: AbortSignal;
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
  #undici: Promise<UndiciParts> | undefined;
  #current: Pair | undefined;
  readonly #retired = new Set<Dispatcher>();

  constructor(config: ClusterConfig, limits: AgentLimits) {
    this.#config = config;
    this.#limits = limits;
  }

  async dispatcherFor(tls: TlsIdentity, streaming: boolean): Promise<Dispatcher> {
    this.#undici ??= undiciParts();
    const undici = await this.#undici;
    if (this.#current === undefined || !isSame(this.#current.tls, tls)) {
      this.#retire();
      this.#current = {
        tls,
        requests: this.#dispatcher(undici, tls, this.#limits.maxConnections),
        streams: this.#dispatcher(undici, tls, undefined),
      };
    }
    const dispatcher = streaming ? this.#current.streams : this.#current.requests;
    if (this.#limits.signal.aborted) await dispatcher.destroy();
    return dispatcher;
  }

  async [Symbol.asyncDispose](): Promise<void> {
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

  #dispatcher(undici: UndiciParts, tls: TlsIdentity, connections: number | undefined): Dispatcher {
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
    const direct = endedBy(this.#limits.signal, undici.buildConnector(tlsOptions));
    // undici prefers the name in the URL to the configured one.
    const connect: buildConnector.connector =
      serverName === undefined ? direct : (to, done) => direct({ ...to, servername: serverName }, done);
    const options: Agent.Options = {
      connections: connections ?? null,
      keepAliveTimeout: keepAliveTimeoutMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      connect: this.#config.proxyUrl ? this.#through(new URL(this.#config.proxyUrl.reveal()), tls, connect) : connect,
    };
    return new undici.Agent(options);
  }

  #through(proxy: URL, { ca }: TlsIdentity, connect: buildConnector.connector): buildConnector.connector {
    const { server, tls } = this.#config;
    const { connectTimeoutMs: timeoutMs, clock, mask, signal } = this.#limits;
    const options = { proxy, ca, insecureSkipVerify: tls.insecureSkipVerify, timeoutMs, clock, mask, signal };
    const open = async (to: buildConnector.Options) => {
      const { openTunnel } = await import('./tunnel.ts');
      const port = Number(to.port) || (to.protocol === 'https:' ? 443 : 80);
      return openTunnel(server, { host: to.hostname, port }, options);
    };
    const secure = (to: buildConnector.Options, socket: Socket, done: buildConnector.Callback) => {
      try {
        connect({ ...to, httpSocket: socket }, done);
      } catch (error) {
        socket.destroy();
        done(error as Error, null);
      }
    };
    return (to, done) => {
      open(to).then(
        (socket) => (to.protocol === 'https:' ? secure(to, socket, done) : done(null, socket)),
        (error: Error) => done(error, null),
      );
    };
  }
}

/** undici closes the sockets that it was handed; one that is still being made it leaves to its timeout. */
function endedBy(signal: AbortSignal, connect: buildConnector.connector): buildConnector.connector {
  return (to, done) => {
    const handOver: buildConnector.Callback = (...outcome) => {
      signal.removeEventListener('abort', end);
      done(...outcome);
    };
    const socket = connect(to, handOver) as unknown as Socket; // its types do not tell
    const end = () => void socket.destroy(signal.reason as Error);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  };
}

function isSame(a: TlsIdentity, b: TlsIdentity): boolean {
  return a.ca === b.ca && a.certificate === b.certificate && a.key === b.key;
}
