/** What a Service is to webhooks: one address for many replicas, of which those that are ready get new connections. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** The ports that get new connections, in turn. */
  readonly ready: Set<number>;
}

export async function startBalancer(): Promise<Balancer> {
  const ready = new Set<number>();
  const open = new Set<Socket>();
  let turn = 0;
  const server = createServer((caller) => {
    const ports = [...ready];
    const port = ports[turn++ % ports.length];
    if (port === undefined) return void caller.destroy();
    const replica = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [caller, replica],
      [replica, caller],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ready,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
