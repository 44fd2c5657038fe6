/**
 * The connections of one configuration, kept for the next who needs one. Requests take turns, so that there are no more
 * of them at a time than allowed; streams do not. When a certificate changes, the old connections finish what they have.
 *
 * HTTP/1.1 on Node's sockets, without an HTTP client in between (ADR 39).
 */
import type { Socket } from 'node:net';
import { getBuiltinModule } from 'node:process';
import type { SecureContext } from 'node:tls';
import type { Clock } from '@keelson/core';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { Connection } from './connection.ts';
import { ClosedEarly, ConnectTimeout } from './failure.ts';
import { Incoming } from './incoming.ts';
import type { TlsIdentity } from './tls-identity.ts';
import { Turns } from './turns.ts';
import { untilAborted } from './until-aborted.ts';

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly connectTimeoutMs: number;
  readonly clock: Clock;
  /** Takes our secrets out of what a proxy says. */
  readonly mask: (text: string) => string;
  /** Aborted when the transport closes: ends all connections, those that are still being made among them. */
  readonly signal: AbortSignal;
}

/** Shorter than what servers and balancers keep (kube-apiserver 90 s, many balancers 60 s), so that we close first. */
const keepIdleMs = 30_000;
/** How long a connection is silent before the kernel asks whether the other side is there. */
const probeAfterMs = 60_000;

/** How the server is reached by one identity. */
interface Way {
  readonly tls: TlsIdentity;
  readonly secureContext: SecureContext | undefined;
  readonly idle: Connection[];
  /** To go on from with the next handshake. */
  session: Buffer | undefined;
}

/** A connection for one exchange. */
export interface Loan {
  readonly connection: Connection;
  /** The exchange is over. The connection is kept for others if it can be. */
  giveBack(): void;
}

export class Connections {
  readonly #config: ClusterConfig;
  readonly #limits: ConnectionLimits;
  readonly #to: { readonly host: string; readonly port: number; readonly isTls: boolean };
  readonly #turns: Turns;
  readonly #open = new Set<Connection>();
  #way: Way | undefined;

  constructor(config: ClusterConfig, limits: ConnectionLimits) {
    this.#config = config;
    this.#limits = limits;
    this.#turns = new Turns(limits.maxConnections);
    const { protocol, hostname, port } = new URL(config.server);
    const isTls = protocol === 'https:';
    this.#to = { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port) || (isTls ? 443 : 80), isTls };
    const close = () => {
      for (const connection of this.#open) connection.close(limits.signal.reason as Error);
    };
    limits.signal.addEventListener('abort', close, { once: true });
  }

  /** Rejects as soon as the signal is aborted; a connection that is being made then is kept for others. */
  async borrow(tls: TlsIdentity, isStream: boolean, signal: AbortSignal | undefined): Promise<Loan> {
    if (!isStream) await this.#turns.begin(signal);
    const end = () => void (isStream || this.#turns.end());
    const lent = this.#lent(tls, end);
    lent.catch(end);
    return untilAborted(lent, signal, (late) => late.giveBack());
  }

  async #lent(tls: TlsIdentity, onOver: () => void): Promise<Loan> {
    const way = this.#wayOf(tls);
    for (let idle = way.idle.pop(); idle; idle = way.idle.pop()) {
      if (!idle.isUsable) continue;
      idle.wake();
      return this.#loan(idle, way, onOver);
    }
    const { socket, incoming } = await this.#connected(way);
    if (this.#limits.signal.aborted) socket.destroy(this.#limits.signal.reason as Error);
    if (socket.destroyed) throw socket.errored ?? new ClosedEarly(); // in the moment in which it stood
    const forget = () => {
      this.#open.delete(connection);
      const at = way.idle.indexOf(connection);
      if (at !== -1) way.idle.splice(at, 1);
    };
    const connection: Connection = new Connection(socket, forget, incoming);
    this.#open.add(connection);
    return this.#loan(connection, way, onOver);
  }

  #loan(connection: Connection, way: Way, onOver: () => void): Loan {
    return {
      connection,
      giveBack: () => {
        if (connection.isUsable && way === this.#way && way.idle.length < this.#limits.maxConnections) {
          connection.rest(keepIdleMs);
          way.idle.push(connection);
        } else connection.close();
        onOver();
      },
    };
  }

  #wayOf(tls: TlsIdentity): Way {
    this.#limits.signal.throwIfAborted();
    if (this.#way === undefined || !isSame(this.#way.tls, tls)) {
      for (const connection of this.#way?.idle ?? []) connection.close();
      const { ca, certificate: cert, key } = tls;
      const secureContext = this.#to.isTls ? nodeTls().createSecureContext({ ca, cert, key }) : undefined;
      this.#way = { tls, secureContext, idle: [], session: undefined };
    }
    return this.#way;
  }

  /** A socket that stands, and what it reads to. */
  async #connected(way: Way): Promise<{ readonly socket: Socket; readonly incoming?: Incoming }> {
    const { clock, connectTimeoutMs, signal } = this.#limits;
    const proxy = this.#config.proxyUrl && new URL(this.#config.proxyUrl.reveal());
    const tunnel = proxy && (await this.#tunnel(proxy, way.tls.ca));
    if (tunnel && !this.#to.isTls) return { socket: tunnel };
    let socket: Socket | undefined;
    const end = () => void socket?.destroy(signal.reason as Error);
    using _ = clock.setTimer(connectTimeoutMs, () => void socket?.destroy(new ConnectTimeout()));
    signal.addEventListener('abort', end, { once: true });
    try {
      signal.throwIfAborted();
      // A tunnel stands already, and `tls.connect` reads what it is given by its stream.
      const incoming = tunnel ? undefined : new Incoming();
      const onread = incoming && { onread: incoming.onread };
      socket = this.#to.isTls
        ? this.#secured(way, tunnel ? { socket: tunnel } : onread)
        : nodeNet().connect({ ...this.#to, ...onread });
      await standing(socket, this.#to.isTls ? 'secureConnect' : 'connect');
      socket.setNoDelay(true).setKeepAlive(true, probeAfterMs);
      return { socket, ...(incoming && { incoming }) };
    } catch (error) {
      tunnel?.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** @param over the tunnel through which it goes, or else where it reads to, which Node's types do not know for TLS */
  #secured(way: Way, over: { readonly socket: Socket } | Pick<Incoming, 'onread'> | undefined): Socket {
    const { serverName, insecureSkipVerify } = this.#config.tls;
    const { host, port } = this.#to;
    return nodeTls()
      .connect({
        host,
        port,
        ...over,
        servername: serverName ?? (nodeNet().isIP(host) ? '' : host),
        ...(way.secureContext && { secureContext: way.secureContext }),
        ...(way.session && { session: way.session }),
        rejectUnauthorized: !insecureSkipVerify,
        ALPNProtocols: ['http/1.1'],
      })
      .on('session', (session) => {
        way.session = session;
      });
  }

  async #tunnel(proxy: URL, ca: string | undefined): Promise<Socket> {
    const { server, tls } = this.#config;
    const { connectTimeoutMs: timeoutMs, clock, mask, signal } = this.#limits;
    const { openTunnel } = await import('./tunnel.ts');
    const options = { proxy, ca, insecureSkipVerify: tls.insecureSkipVerify, timeoutMs, clock, mask, signal };
    return openTunnel(server, this.#to, options);
  }
}

/** Loaded with the first connection: not every process that knows us makes one. */
const nodeNet = (): typeof import('node:net') => getBuiltinModule('node:net');
const nodeTls = (): typeof import('node:tls') => getBuiltinModule('node:tls');

function standing(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket
      .once(event, () => resolve())
      .on('error', reject) // stays: there may be nobody else to hear one
      .once('close', () => reject(new ClosedEarly()));
  });
}

function isSame(a: TlsIdentity, b: TlsIdentity): boolean {
  return a.ca === b.ca && a.certificate === b.certificate && a.key === b.key;
}
