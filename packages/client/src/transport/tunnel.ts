/**
 * Connections to the server through a proxy: by CONNECT over http or https, or by SOCKS5.
 *
 * Its socket is used like any other. A failure says that it is the proxy's, and names it without its user and password.
 * Names are looked up by the proxy.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { rootCertificates, connect as secureConnect } from 'node:tls';
import { type Clock, TransportError } from '@keelson/core';
import { codeOf, shortReason } from './failure.ts';
import { SocketReader } from './socket-reader.ts';
import { greetSocks } from './socks.ts';
import { decoded } from './url-part.ts';

export interface TunnelOptions {
  readonly proxy: URL;
  /** Authorities of the cluster; an https proxy may be known to them, or to Node. */
  readonly ca: string | undefined;
  readonly insecureSkipVerify: boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Takes our secrets out of what the proxy says. */
  readonly mask: (text: string) => string;
  /** Ends what is still being made. */
  readonly signal: AbortSignal;
}

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const socksPort = 1080;
/** More than any proxy has to say about itself. */
const maxHeadBytes = 64 * 1024;

/** A socket on whose other end is the destination. */
export async function openTunnel(server: string, to: Destination, options: TunnelOptions): Promise<Socket> {
  const { proxy, clock, timeoutMs, signal } = options;
  const name = `the proxy ${proxy.protocol}//${proxy.host}`;
  signal.throwIfAborted();
  const socket = reach(options);
  socket.on('error', () => {}); // there may be no listener between two steps
  const late = () => void socket.destroy(new Error(`did not answer within ${timeoutMs / 1000} s`));
  using _ = clock.setTimer(timeoutMs, late);
  const onAbort = () => void socket.destroy(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await once(socket, proxy.protocol === 'https:' ? 'secureConnect' : 'connect');
    socket.setNoDelay(true).setKeepAlive(true, 60_000);
    if (proxy.protocol.startsWith('socks')) await greetSocks(socket, proxy, to);
    else await askToConnect(socket, options, to);
    return socket;
  } catch (error) {
    socket.destroy();
    if (signal.aborted) throw signal.reason;
    // What the system reports has a code; what we say ourselves has none, and begins with a verb.
    const reason = codeOf(error) === '' ? (error as Error).message : `cannot be used: ${shortReason(error)}`;
    throw new TransportError(server, `${name} ${reason}`, { cause: error });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function reach({ proxy, ca, insecureSkipVerify }: TunnelOptions): Socket {
  const host = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(proxy.port) || (defaultPorts[proxy.protocol] ?? socksPort);
  if (proxy.protocol !== 'https:') return connect({ host, port });
  return secureConnect({
    host,
    port,
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
    rejectUnauthorized: !insecureSkipVerify,
    ALPNProtocols: ['http/1.1'],
  });
}

async function askToConnect(
  socket: Socket,
  { proxy, mask }: TunnelOptions,
  { host, port }: Destination,
): Promise<void> {
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${target} HTTP/1.1`, `Host: ${target}`];
  if (proxy.username || proxy.password) {
    const pair = `${decoded(proxy.username)}:${decoded(proxy.password)}`;
    lines.push(`Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}`);
  }
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  using reader = new SocketReader(socket);
  const head = await reader.readThrough('\r\n\r\n', maxHeadBytes);
  const [, status, text = ''] = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]{0,100})/.exec(head) ?? [];
  if (status === undefined) throw new Error('does not speak HTTP; is its address right?');
  if (status.startsWith('2')) return;
  if (status === '407') {
    throw new Error(`wants a user and a password (407), such as http://user:password@${proxy.host}`);
  }
  throw new Error(`does not let us through to ${target}: ${status} ${mask(text)}`.trim());
}
