/** Proxies on loopback: one that opens tunnels by CONNECT, and one that speaks SOCKS5. All tunnels lead to one server. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';

export interface TestProxy extends AsyncDisposable {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** What was asked for, in order, and as whom. */
  readonly asked: readonly { readonly to: string; readonly as: string | undefined }[];
}

/** Where tunnels lead, whatever they ask for: a URL. */
type Onward = string;

function onwardTo(target: Onward, near: Socket, then: () => void): void {
  const { hostname, port } = new URL(target);
  const far = connect(Number(port), hostname, () => {
    then();
    far.pipe(near).pipe(far);
  });
  for (const end of [far, near]) end.on('error', () => {}).on('close', () => [far, near].map((each) => each.destroy()));
}

async function listening(server: Server, asked: TestProxy['asked']): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** `refuse` answers in place of the tunnel. */
export async function startConnectProxy(
  target: Onward,
  { tls, refuse }: { readonly tls?: SecureContextOptions; readonly refuse?: string } = {},
): Promise<TestProxy> {
  const asked: { to: string; as: string | undefined }[] = [];
  const server = tls ? createTlsServer(tls) : createHttpServer();
  server.on('connect', ({ url = '', headers }: IncomingMessage, near: Socket) => {
    const [, basic] = /^Basic (.+)$/.exec(headers['proxy-authorization'] ?? '') ?? [];
    asked.push({ to: url, as: basic && Buffer.from(basic, 'base64').toString() });
    if (refuse !== undefined) near.end(refuse);
    else onwardTo(target, near, () => near.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n'));
  });
  return listening(server, asked);
}

/** `account` is who may pass, `reply` the answer to everybody (0: come through). */
export async function startSocksProxy(
  target: Onward,
  { account, reply = 0 }: { readonly account?: string; readonly reply?: number } = {},
): Promise<TestProxy> {
  const asked: { to: string; as: string | undefined }[] = [];
  const greet = async (near: Socket) => {
    let buffer = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      buffer = Buffer.concat([buffer, chunk]);
      near.emit('more');
    };
    near.on('data', onData).on('close', () => near.emit('more'));
    const take = async (length: number): Promise<Buffer> => {
      while (buffer.length < length) {
        if (near.destroyed) throw new Error('gone');
        await once(near, 'more');
      }
      const taken = buffer.subarray(0, length);
      buffer = buffer.subarray(length);
      return taken;
    };
    const text = async () => (await take((await take(1))[0] ?? 0)).toString();
    // One byte at a time: a reader that counts on whole answers fails here.
    const say = (...bytes: number[]) => bytes.forEach((byte) => void near.write(Buffer.from([byte])));
    try {
      const [, methods = 0] = await take(2);
      const offered = [...(await take(methods))];
      const method = account === undefined ? 0 : 2;
      say(5, offered.includes(method) ? method : 0xff);
      let as: string | undefined;
      if (method === 2) {
        await take(1);
        as = `${await text()}:${await text()}`;
        say(1, as === account ? 0 : 1);
        if (as !== account) return void near.end();
      }
      const [, , , type] = await take(4);
      const host = type === 3 ? await text() : [...(await take(type === 1 ? 4 : 16))].join('.');
      asked.push({ to: `${host}:${(await take(2)).readUInt16BE()}`, as });
      if (reply === 0) {
        near.off('data', onData).pause();
        onwardTo(target, near, () => say(5, 0, 0, 3, 4, ...Buffer.from('here'), 0, 80));
      } else say(5, reply, 0, 1, 0, 0, 0, 0, 0, 0);
    } catch {
      near.destroy();
    }
  };
  return listening(
    createServer((near) => void greet(near)),
    asked,
  );
}
