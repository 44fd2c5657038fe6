/** A TCP forwarder on loopback between a client and a server, for the faults that only a network has. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder extends AsyncDisposable {
  /** Where to connect to instead. */
  readonly url: string;
  /** Breaks every connection, wherever it is in its stream. */
  cut(): void;
  /** Keeps all connections open, present and new ones, and lets nothing through. */
  stall(): void;
  /** Forwards what comes from now on. What was held back on stalled connections is forwarded too. */
  resume(): void;
}

export async function startForwarder(target: string): Promise<Forwarder> {
  const { hostname, port, protocol } = new URL(target);
  const sockets = new Set<Socket>();
  let isStalled = false;
  const listener = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => void to.write(chunk));
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isStalled) from.pause();
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `${protocol}//127.0.0.1:${(listener.address() as AddressInfo).port}`,
    cut() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    stall() {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
