/**
 * A proxy that fails a third of all calls: before they reach the server, after the server has acted, in the middle of the
 * answer, with a failure of its own, or late. Watches are cut in mid-line too.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request as sendTo } from 'node:https';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@keelson/core/system';
import type { ClusterConfig, Material } from '../../src/index.ts';

type Fault = 'before' | 'after' | 'cut' | 'failure' | 'busy' | 'late';
const faults: readonly Fault[] = ['before', 'after', 'cut', 'failure', 'busy', 'late'];

export interface FaultProxy extends AsyncDisposable {
  /** The same server, through the proxy. */
  readonly config: ClusterConfig;
  /** How often what happened. */
  readonly counts: Readonly<Record<Fault | 'well', number>>;
}

export interface FaultProxyOptions {
  /** So much of all calls fails. @default a third */
  readonly share?: number;
  /** @default a free one */
  readonly port?: number;
}

export async function startFaultProxy(
  config: ClusterConfig,
  random: () => number,
  { share = 1 / 3, port: wanted = 0 }: FaultProxyOptions = {},
): Promise<FaultProxy> {
  const pem = (material: Material | undefined) => (material?.type === 'data' ? material.pem.reveal() : undefined);
  const { ca, clientCertificate } = config.tls;
  const agent = new Agent({
    keepAlive: true,
    ...(ca && { ca: pem(ca) }),
    ...(clientCertificate && { cert: pem(clientCertificate.certificate), key: pem(clientCertificate.key) }),
  });
  const counts = { before: 0, after: 0, cut: 0, failure: 0, busy: 0, late: 0, well: 0 };
  const front = createServer((incoming, response) => {
    const fault = random() < share ? faults[Math.floor(random() * faults.length)] : undefined;
    counts[fault ?? 'well'] += 1;
    incoming.on('error', () => {});
    response.on('error', () => {});
    if (fault === 'before') incoming.socket.destroy();
    else if (fault === 'failure') response.writeHead(502).end('<h1>Bad Gateway</h1>');
    else if (fault === 'busy') response.writeHead(429, { 'retry-after': '0' }).end('busy');
    else if (fault === 'late') systemClock.setTimer(random() * 100, () => forward(incoming, response, undefined));
    else forward(incoming, response, fault);
  }).listen(wanted, '127.0.0.1');

  function forward(incoming: IncomingMessage, response: ServerResponse, fault: Fault | undefined): void {
    const { method, url = '/' } = incoming;
    const { host: _, ...headers } = incoming.headers;
    const to = sendTo(`${config.server}${url}`, { method, headers, agent }, (answer) => {
      answer.on('error', () => response.destroy());
      if (fault === 'after') {
        answer.resume();
        answer.on('end', () => response.destroy());
        // A watch never ends, and has no effect that could be lost.
        if (url.includes('watch=')) response.destroy();
        return;
      }
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      let left = fault === 'cut' ? Math.floor(random() * 2000) : Number.POSITIVE_INFINITY;
      answer.on('data', (chunk: Buffer) => {
        response.write(chunk.subarray(0, Math.max(0, Math.min(chunk.length, left))));
        left -= chunk.length;
        if (left < 0) response.destroy();
      });
      answer.on('end', () => (fault === 'cut' ? response.destroy() : response.end()));
    });
    to.on('error', () => response.destroy());
    response.on('close', () => to.destroy());
    incoming.pipe(to);
  }

  await once(front, 'listening');
  const { port } = front.address() as AddressInfo;
  return {
    config: { ...config, server: `http://127.0.0.1:${port}`, tls: { insecureSkipVerify: false } },
    counts,
    async [Symbol.asyncDispose]() {
      const closed = once(front, 'close');
      front.close();
      front.closeAllConnections();
      agent.destroy();
      await closed;
    },
  };
}
