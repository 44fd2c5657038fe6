/**
 * The two small servers of a process: one for probes, one for metrics. Each answers GET on a few paths.
 *
 * They listen where strangers can reach them, so an answer says no more than its route decides, and a failure says
 * nothing at all. What fails later, such as to accept a connection, is reported and does not end the process.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, OperatorError } from '@keelson/core';
import type { Identity } from '@keelson/core/x509';
import { nodeHttp, nodeHttps } from '../late-modules.ts';
import { type RenewalOptions, readCertificate, renewCertificate } from './renewed-certificate.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** What a route learns of a request. */
export interface Visit {
  /** What follows the route's path: `sync-pods` of `/readyz/sync-pods`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Whether it comes from this machine itself, in a pod also through `kubectl port-forward`, and through no proxy. */
  readonly isLocal: boolean;
  /** The header of that name. */
  readonly authorization: string | undefined;
}

/** By path. One that ends in `/` answers for all paths below it. */
export type Routes = Readonly<Record<string, (visit: Visit) => Answer | Promise<Answer>>>;

/** Where a server of the process is reached. */
export interface ListenOptions {
  /** @default all interfaces */
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
  /**
   * A certificate and its key, for HTTPS: as files, of which what replaces them is used within ten seconds, or as PEM.
   * @default plain HTTP
   */
  readonly tls?: { readonly certFile: string; readonly keyFile: string } | Identity | undefined;
  /** What those who run the process set the port with, such as `--health-port`: errors name it. */
  readonly setBy?: string | undefined;
  /** Take a free port when this one is taken. @default false */
  readonly orFree?: boolean | undefined;
}

export interface HttpServer extends AsyncDisposable {
  /** The port that was taken. */
  readonly port: number;
}

/** The port belongs to someone else, or may not be taken. */
export class ListenError extends OperatorError {
  override readonly name = 'ListenError';
  readonly code = 'ERR_LISTEN';
}

export interface ServerParts {
  /** Hears of what fails after the server listens. */
  readonly onError: (error: Error) => void;
  readonly clock: Clock;
}

export async function listen(
  what: string,
  routes: Routes,
  options: ListenOptions,
  { onError, clock }: ServerParts,
): Promise<HttpServer> {
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    // Whatever a stranger sends, the answer is an answer: nothing here may end the process.
    void (async () => answerTo(request, routes))()
      .catch(() => plain(500, 'internal server error'))
      .then(({ status, contentType, body }) => {
        response.writeHead(status, { 'content-type': contentType }).end(request.method === 'HEAD' ? undefined : body);
      });
  };
  const { server, renewed } = await serverOf(what, respond, options.tls);
  // As controller-runtime has it: who sends nothing does not hold a connection.
  server.headersTimeout = 32_000;
  server.requestTimeout = 32_000;
  const port = await bind(what, server, options, onError);
  const renewal = renewed && renewCertificate({ what, ...renewed, onError, clock });
  return {
    port,
    async [Symbol.asyncDispose]() {
      renewal?.[Symbol.dispose]();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Has a server listen, and resolves with its port; from then on `onError` hears what fails. */
export async function bind(
  what: string,
  server: Server,
  options: Omit<ListenOptions, 'tls'>,
  onError: ServerParts['onError'],
): Promise<number> {
  const attempt = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, options.host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  try {
    await attempt(options.port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && options.orFree) await attempt(0);
    else {
      const reason = code === 'EADDRINUSE' ? 'another program listens there' : code;
      const choose = `Choose another port${options.setBy === undefined ? '' : ` with ${options.setBy}`}.`;
      throw new ListenError(`The ${what} server cannot listen on port ${options.port}: ${reason}. ${choose}`, {
        cause: error,
      });
    }
  }
  server.on('error', onError);
  return (server.address() as AddressInfo).port;
}

interface Listener {
  readonly server: Server;
  /** How a certificate in files is renewed. */
  readonly renewed?: Pick<RenewalOptions, 'current' | 'read' | 'use'>;
}

async function serverOf(
  what: string,
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  tls: ListenOptions['tls'],
): Promise<Listener> {
  if (tls === undefined) return { server: nodeHttp().createServer(respond) };
  if ('certificate' in tls)
    return { server: nodeHttps().createServer({ cert: tls.certificate, key: tls.key }, respond) };
  try {
    const current = await readCertificate(tls);
    const server = nodeHttps().createServer(current, respond);
    const read = () => readCertificate(tls);
    return { server, renewed: { current, read, use: (pair) => server.setSecureContext(pair) } };
  } catch (error) {
    throw new ListenError(`The ${what} server has no certificate: ${(error as Error).message}.`, { cause: error });
  }
}

const plain = (status: number, body: string): Answer => ({ status, contentType: 'text/plain', body: `${body}\n` });

function answerTo(request: IncomingMessage, routes: Routes): Answer | Promise<Answer> {
  const url = URL.parse(request.url ?? '/', 'http://localhost');
  if (url === null) return plain(400, 'bad request');
  const { pathname, searchParams: query } = url;
  // A path begins with a slash, and so no member of every object is one.
  const at = pathname in routes ? pathname : pathname.slice(0, pathname.indexOf('/', 1) + 1);
  const route = routes[at];
  if (route === undefined) return plain(404, 'not found');
  if (request.method !== 'GET' && request.method !== 'HEAD') return plain(405, 'method not allowed');
  return route({
    rest: pathname.slice(at.length),
    query,
    isLocal: isLocal(request),
    authorization: request.headers.authorization,
  });
}

/** A sidecar or an ingress on the same machine says for whom it asks, or at least that it does. */
const marksOfProxies = /^(forwarded|via|x-forwarded-.*|x-real-ip|x-envoy-.*)$/;

/** Other addresses of 127.0.0.0/8 are none of kubectl's: Istio's sidecar passes strangers on from 127.0.0.6. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  if (Object.keys(headers).some((name) => marksOfProxies.test(name))) return false;
  return /^(::ffff:)?127\.0\.0\.1$|^::1$/.test(socket.remoteAddress ?? '');
}
