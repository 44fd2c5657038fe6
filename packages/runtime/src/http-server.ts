/** The two small servers of a process: one for probes, one for metrics. Each answers GET on a few exact paths. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OperatorError } from '@keelson/core';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export type Routes = Readonly<Record<string, (query: URLSearchParams) => Answer | Promise<Answer>>>;

export interface ListenOptions {
  /** @default all interfaces */
  readonly host?: string | undefined;
  /** 0 takes any free port. */
  readonly port: number;
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

export async function listen(what: string, routes: Routes, options: ListenOptions): Promise<HttpServer> {
  const server = createServer((request, response) => {
    // Whatever a stranger sends, the answer is an answer: nothing here may end the process.
    void (async () => answerTo(request.method, request.url, routes))()
      .catch((error: unknown) => ({ status: 500, contentType: 'text/plain', body: `${String(error)}\n` }))
      .then(({ status, contentType, body }) => {
        response.writeHead(status, { 'content-type': contentType }).end(request.method === 'HEAD' ? undefined : body);
      });
  });
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
      throw new ListenError(
        `The ${what} server cannot listen on port ${options.port}: ${reason}. Choose another port.`,
        {
          cause: error,
        },
      );
    }
  }
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function answerTo(method: string | undefined, target: string | undefined, routes: Routes): Answer | Promise<Answer> {
  const plain = (status: number, body: string): Answer => ({ status, contentType: 'text/plain', body: `${body}\n` });
  const url = URL.parse(target ?? '/', 'http://localhost');
  if (url === null) return plain(400, 'bad request');
  const route = Object.hasOwn(routes, url.pathname) ? routes[url.pathname] : undefined;
  if (route === undefined) return plain(404, 'not found');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'method not allowed');
  return route(url.searchParams);
}
