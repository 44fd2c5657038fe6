/** A server on loopback that answers as a test tells it to. Its sockets are real, and so are resets, hangs and half lines. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { ClusterConfig } from '../src/config/cluster-config.ts';
import { Secret } from '../src/config/secret.ts';

export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly incoming: IncomingMessage;
}

export type Script = (request: ScriptedRequest, response: ServerResponse) => void;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  /** Everything that was asked, in order. */
  readonly requests: readonly ScriptedRequest[];
  /** Connections made so far. */
  readonly connections: number;
  readonly openSockets: ReadonlySet<Socket>;
  /** Answers differently from now on. */
  script: Script;
}

export async function startServer(
  script: Script,
  tls?: SecureContextOptions & Pick<TlsOptions, 'requestCert' | 'rejectUnauthorized'>,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const listener: RequestListener = (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body: Buffer.concat(chunks).toString(), incoming };
      requests.push(request);
      server.script(request, response);
    });
  };
  const http = tls ? createTlsServer(tls, listener) : createServer(listener);
  http.keepAliveTimeout = 60_000;
  http.on(tls ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const server: ScriptedServer = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(http.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
    openSockets: sockets,
    script,
    async [Symbol.asyncDispose]() {
      const closed = once(http, 'close');
      http.close();
      http.closeAllConnections();
      await closed;
    },
  };
  return server;
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** A configuration for that server, without credentials unless they are given. */
export function configFor(url: string, more: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    server: url,
    namespace: 'default',
    tls: { insecureSkipVerify: false },
    credentials: { type: 'none' },
    disableCompression: false,
    source: 'a test',
    ...more,
  };
}

export const data = (pem: string) => ({ type: 'data', pem: new Secret(pem) }) as const;
