import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@keelson/core/system';
import { type Forwarder, startForwarder } from '../src/index.ts';
import { until } from '../src/machine/wait.ts';

/** A server, a forwarder to it, and one client's connection through that. */
class Line implements AsyncDisposable {
  readonly forwarder: Forwarder;
  readonly client: Socket;
  /** The server's end of the connection. */
  readonly served: Socket;
  readonly #server: Server;
  received = '';
  /** Bytes that reached the server, on all connections. */
  askedBytes = 0;
  /** How the client's connection ended: in order, or by an error. */
  ended: string | undefined;

  private constructor(server: Server, forwarder: Forwarder, client: Socket, served: Socket) {
    this.#server = server;
    this.forwarder = forwarder;
    this.client = client;
    this.served = served;
    client.setEncoding('utf8').on('data', (text: string) => {
      this.received += text;
    });
    client.on('end', () => {
      this.ended ??= 'in order';
    });
    client.on('error', (error: NodeJS.ErrnoException) => {
      this.ended ??= error.code;
    });
    this.#hear(served);
    server.on('connection', (socket) => this.#hear(socket));
  }

  #hear(socket: Socket): void {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      this.askedBytes += chunk.length;
    });
  }

  static async open(): Promise<Line> {
    const server = createServer({ allowHalfOpen: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const forwarder = await startForwarder(`https://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const client = connect({ port: Number(new URL(forwarder.url).port), host: '127.0.0.1', allowHalfOpen: true });
    return new Line(server, forwarder, client, (await accepted)[0]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    this.served.destroy();
    await this.forwarder[Symbol.asyncDispose]();
    const closed = once(this.#server, 'close');
    this.#server.close();
    await closed;
  }
}

const eventually = (what: string, condition: () => boolean) =>
  until(() => condition() || undefined, { clock: systemClock, what, deadlineMs: 120_000, everyMs: 2 });

/** Time in which a byte would surely have passed: others travel the same way meanwhile. */
async function traffic(): Promise<void> {
  await using line = await Line.open();
  for (let turn = 1; turn <= 20; turn++) {
    line.served.write('x');
    await eventually('a byte beside', () => line.received.length === turn);
  }
}

test('bytes and ends of streams pass both ways', async () => {
  await using line = await Line.open();
  assert.match(line.forwarder.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  line.client.end('question');
  await eventually('the end of the question', () => line.served.readableEnded);
  assert.equal(line.askedBytes, 'question'.length);
  line.served.end('answer'.repeat(100_000));
  await eventually('the end', () => line.ended !== undefined);
  assert.equal(line.received.length, 600_000);
  assert.equal(line.ended, 'in order');
  await eventually('no connection', () => line.forwarder.connections === 0);
});

test('a reader that falls behind slows the writer down', async () => {
  await using line = await Line.open();
  line.client.pause();
  line.served.write(Buffer.alloc(64 * 1024 * 1024));
  let left = line.served.writableLength;
  for (let before = Number.NaN; left !== before; left = line.served.writableLength) {
    before = left;
    await traffic();
  }
  assert.ok(left > 32 * 1024 * 1024, `only ${left} bytes are still the writer's, and nobody read any`);
});

test('a cut breaks connections at once, and new ones are served', async () => {
  await using line = await Line.open();
  line.served.write('half a li');
  await eventually('the half', () => line.received !== '');
  line.forwarder.cut();
  await eventually('the end', () => line.ended !== undefined);
  assert.equal(line.ended, 'ECONNRESET');
  await eventually('no connection', () => line.forwarder.connections === 0);
  await eventually('the server to notice', () => line.served.destroyed);
  const { port } = new URL(line.forwarder.url);
  const again = connect(Number(port), '127.0.0.1');
  await once(again, 'connect');
  await eventually('a connection', () => line.forwarder.connections === 1);
  again.destroy();
});

test('a cut after some bytes lets just these through', async () => {
  await using line = await Line.open();
  line.forwarder.cut({ afterBytes: 5 });
  line.served.write('abc');
  await eventually('what is below', () => line.received === 'abc');
  assert.equal(line.ended, undefined);
  line.served.write('defgh');
  await eventually('the end', () => line.ended !== undefined);
  assert.equal(line.received, 'abcde');
  assert.throws(() => line.forwarder.cut({ afterBytes: -1 }), RangeError);
});

test('a stall holds everything back without closing, and loses nothing', async () => {
  await using line = await Line.open();
  line.served.write('before ');
  await eventually('the first', () => line.received === 'before ');
  line.forwarder.stall();
  line.served.end('after');
  await traffic();
  assert.equal(line.received, 'before ');
  assert.equal(line.ended, undefined);
  line.forwarder.resume();
  await eventually('the rest', () => line.ended !== undefined);
  assert.deepEqual([line.received, line.ended], ['before after', 'in order']);
});

test('a stall holds new connections back as well', async () => {
  await using line = await Line.open();
  line.forwarder.stall();
  const late = connect(Number(new URL(line.forwarder.url).port), '127.0.0.1');
  await once(late, 'connect');
  late.write('hello');
  await eventually('the connection', () => line.forwarder.connections === 2);
  await traffic();
  assert.deepEqual([late.readyState, line.askedBytes], ['open', 0]);
  line.forwarder.resume();
  await eventually('what was held back', () => line.askedBytes === 'hello'.length);
  late.destroy();
});

test('a server that is not there breaks the connection', async () => {
  await using forwarder = await startForwarder('http://127.0.0.1:1');
  const client = connect(Number(new URL(forwarder.url).port), '127.0.0.1');
  const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
  assert.equal(error.code, 'ECONNRESET');
});
