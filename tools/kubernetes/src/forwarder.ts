/**
 * A TCP forwarder on this machine between a client and a server, for the faults that only a network has.
 *
 * Promises: while it is neither stalled nor cutting, bytes and ends of streams pass unchanged, both ways, and a reader
 * that falls behind slows the writer down. It does not look into what it carries.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Forwarder extends AsyncDisposable {
  /** Where to connect to instead: the target's scheme, and a port of the address that it listens at. */
  readonly url: string;
  /** Connections that are open now. */
  readonly connections: number;
  /**
   * Breaks every present connection: at once and with a reset, or, with `afterBytes`, when it has carried so many more
   * bytes to the client, by ending it there. A long line is then surely cut in its middle.
   */
  cut(options?: { readonly afterBytes?: number }): void;
  /** Keeps all connections open, present and new ones, and lets nothing through, not even their end. */
  stall(): void;
  /** Ends a stall. What was held back goes through now. */
  resume(): void;
}

export interface ForwarderOptions {
  /** An address of this machine. @default '127.0.0.1' */
  readonly address?: string;
}

/** Forwards to the host and port of `target`, such as `kube.server`. */
export async function startForwarder(
  target: string,
  { address = '127.0.0.1' }: ForwarderOptions = {},
): Promise<Forwarder> {
  const { hostname, port, protocol } = new URL(target);
  const pairs = new Set<Pair>();
  let isStalled = false;
  const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const pair = new Pair(near, far, () => pairs.delete(pair));
    pairs.add(pair);
    if (!isStalled) pair.resume();
  });
  listener.listen(0, address);
  await once(listener, 'listening');
  return {
    url: `${protocol}//${address}:${(listener.address() as AddressInfo).port}`,
    get connections() {
      return pairs.size;
    },
    cut({ afterBytes = 0 } = {}) {
      if (!(afterBytes >= 0)) throw new RangeError(`afterBytes must be 0 or more, not ${afterBytes}`);
      for (const pair of [...pairs]) pair.cut(afterBytes);
    },
    stall() {
      isStalled = true;
      for (const pair of pairs) pair.pause();
    },
    resume() {
      isStalled = false;
      for (const pair of pairs) pair.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const pair of [...pairs]) pair.cut(0);
      await closed;
    },
  };
}

/** One connection: the client's side of it is near, the server's far. */
class Pair {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #onClose: () => void;
  #isStalled = true;
  /** How many more bytes the client gets before the connection is cut. */
  #budget = Number.POSITIVE_INFINITY;

  constructor(near: Socket, far: Socket, onClose: () => void) {
    this.#near = near;
    this.#far = far;
    this.#onClose = onClose;
    far.pause();
    near.on('data', (chunk: Buffer) => this.#pass(chunk, near, far));
    far.on('data', (chunk: Buffer) => this.#passToClient(chunk));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('end', () => to.end());
      from.on('drain', () => {
        if (!this.#isStalled) to.resume();
      });
      from.on('error', () => this.#reset());
      from.on('close', () => {
        if (near.destroyed && far.destroyed) this.#onClose();
      });
    }
    // Adding a listener for data has set both going.
    this.pause();
  }

  pause(): void {
    this.#isStalled = true;
    this.#near.pause();
    this.#far.pause();
  }

  resume(): void {
    this.#isStalled = false;
    this.#near.resume();
    this.#far.resume();
  }

  cut(afterBytes: number): void {
    if (afterBytes === 0) this.#reset();
    else this.#budget = Math.min(this.#budget, afterBytes);
  }

  #passToClient(chunk: Buffer): void {
    if (chunk.length < this.#budget) {
      this.#budget -= chunk.length;
      this.#pass(chunk, this.#far, this.#near);
      return;
    }
    // Ended rather than reset, which could throw away what the client has not read yet.
    this.#near.end(chunk.subarray(0, this.#budget), () => this.#near.destroy());
    this.#far.destroy();
  }

  #pass(chunk: Buffer, from: Socket, to: Socket): void {
    if (to.writable && !to.write(chunk)) from.pause();
  }

  #reset(): void {
    this.#near.resetAndDestroy();
    this.#far.resetAndDestroy();
  }
}
