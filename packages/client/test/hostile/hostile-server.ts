/**
 * A server that means us harm: it speaks HTTP on a bare socket, as badly as a behaviour says, to whoever connects.
 *
 * Each behaviour answers every request of a connection in its own way. `seed` chooses sizes, so that a run that failed
 * can be run again.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { systemClock } from '@keelson/core/system';

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Everything that was sent, headers included, for those who quote it. */
  readonly text: string;
  /** How many came before it, on all connections. */
  readonly number: number;
}

export type Behaviour = (socket: Socket, request: HostileRequest, random: () => number) => void;

export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: number;
  readonly sockets: number;
}

export async function startHostileServer(behaviour: Behaviour, random: () => number): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      for (let whole = wholeRequest(text); whole > 0; whole = wholeRequest(text)) {
        const request = requestOf(text.slice(0, whole), requests);
        text = text.slice(whole);
        requests += 1;
        behaviour(socket, request, random);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    get requests() {
      return requests;
    },
    get sockets() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** How long the first request in a text is; nothing if it is not complete. */
function wholeRequest(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return 0;
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head)) ?? [];
  const end = head + 4 + Number(length);
  return text.length >= end ? end : 0;
}

function requestOf(text: string, number: number): HostileRequest {
  const [, method = '', target = '/'] = /^(\w+) (\S+)/.exec(text) ?? [];
  const url = new URL(target, 'http://server');
  return { method, path: url.pathname, query: url.searchParams, text, number };
}

/** Writes again and again, as fast as it is read, until the socket ends. */
export function pour(socket: Socket, make: () => string | Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(make()));
  };
  socket.on('drain', more);
  more();
}

/** Writes one after the other, a moment apart. */
export function drip(socket: Socket, parts: Iterable<string | Uint8Array>, everyMs = 5): void {
  const iterator = parts[Symbol.iterator]();
  const next = () => {
    const part = iterator.next();
    if (part.done || socket.destroyed) return;
    socket.write(part.value);
    systemClock.setTimer(everyMs, next).unref();
  };
  next();
}
