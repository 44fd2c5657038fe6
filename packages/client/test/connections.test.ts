import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { describe, test } from 'node:test';
import { nextTurn, systemClock } from '@keelson/core/system';
import { Connection, type ExchangeSink } from '../src/transport/connection.ts';
import { Connections } from '../src/transport/connections.ts';
import { exchange } from '../src/transport/exchange.ts';
import { Incoming } from '../src/transport/incoming.ts';
import { ManualClock } from './manual-clock.ts';
import { configFor, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const none = { ca: undefined, certificate: undefined, key: undefined };
const other = { ...none, key: 'another' };

async function setup(maxConnections: number) {
  const server = await startServer((_request, response) => void response.end('hello'));
  const disposal = new AbortController();
  const connections = new Connections(configFor(server.url), {
    maxConnections,
    connectTimeoutMs: 30_000,
    clock: systemClock,
    mask: (text) => text,
    signal: disposal.signal,
  });
  return {
    server,
    connections,
    async [Symbol.asyncDispose]() {
      disposal.abort(new Error('closed'));
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a connection that is lent', () => {
  test('is lent again when it was given back', async () => {
    await using given = await setup(1);
    const { connection, giveBack } = await given.connections.borrow(none, false, undefined);
    giveBack();
    const again = await given.connections.borrow(none, false, undefined);
    assert.equal(again.connection, connection);
    again.giveBack();
  });

  test('and comes too late is there for the next', async () => {
    await using given = await setup(1);
    const controller = new AbortController();
    const late = given.connections.borrow(none, false, controller.signal);
    await Promise.resolve(); // its turn has begun, and its connection is being made
    controller.abort(new Error('no time'));
    await assert.rejects(late, /no time/);
    (await given.connections.borrow(none, false, undefined)).giveBack();
    assert.equal(given.server.connections, 1);
  });

  test('is closed when it is given back after the identity has changed', async () => {
    await using given = await setup(2);
    const old = await given.connections.borrow(none, false, undefined);
    const fresh = await given.connections.borrow(other, false, undefined);
    await until(() => given.server.openSockets.size === 2);
    old.giveBack();
    await until(() => given.server.openSockets.size === 1);
    fresh.giveBack();
    assert.equal((await given.connections.borrow(other, false, undefined)).connection, fresh.connection);
  });

  test('is closed when the identity changes while it rests', async () => {
    await using given = await setup(2);
    (await given.connections.borrow(none, false, undefined)).giveBack();
    await until(() => given.server.openSockets.size === 1);
    const [before] = given.server.openSockets;
    (await given.connections.borrow(other, false, undefined)).giveBack();
    await until(() => before?.closed === true);
  });

  test('is not lent after the end', async () => {
    const given = await setup(1);
    await given[Symbol.asyncDispose]();
    await assert.rejects(given.connections.borrow(none, false, undefined), /closed/);
    await assert.rejects(given.connections.borrow(none, true, undefined), /closed/);
  });
});

describe('a connection', () => {
  const silent: ExchangeSink = { onHead() {}, onData() {}, onEnd() {}, onFailure() {} };

  /** One whose other end is in the test's hand. */
  function inHand() {
    const written: string[] = [];
    const socket = new Duplex({
      read() {},
      writev(chunks, done) {
        written.push(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)).toString());
        done();
      },
    });
    return { socket, written, connection: new Connection(socket as Socket, () => {}) };
  }

  test('sends a request in one piece', () => {
    const { written, connection } = inHand();
    connection.send('POST / HTTP/1.1\r\n\r\n', 'body', silent);
    assert.deepEqual(written, ['POST / HTTP/1.1\r\n\r\nbody']);
  });

  test('whose reader fell behind reads on for the next request', async () => {
    const { socket, connection } = inHand();
    const ended = new Promise<void>((onEnd) => {
      connection.send('GET / HTTP/1.1\r\n\r\n', undefined, { ...silent, onData: () => connection.pause(), onEnd });
    });
    socket.push('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
    await ended;
    assert.equal(socket.isPaused(), false);
    assert.equal(connection.isUsable, true);
  });

  /** The answer to a request on it, of which `begun` has come. */
  async function answered(begun: string, gatherMs?: () => number) {
    const { socket, connection } = inHand();
    const clock = new ManualClock();
    const connections = { borrow: async () => ({ connection, giveBack() {} }) } as unknown as Connections;
    const target = { connections, clock, tls: none, origin: 'a test', prefix: '', headers: {} };
    const answer = exchange(target, { method: 'GET', path: '/', headers: {}, streaming: true, gatherMs });
    await nextTurn();
    socket.push(`HTTP/1.1 200 OK\r\n\r\n${begun}`);
    const { body } = await answer;
    return { socket, clock, reader: body[Symbol.asyncIterator]() };
  }

  test('is not read while its reader has more than a mebibyte to catch up with', async () => {
    const { socket, reader } = await answered('');
    socket.push('x'.repeat(1024 * 1024 - 200));
    assert.equal(socket.isPaused(), false);
    socket.push('x');
    assert.equal(socket.isPaused(), true);
    await reader.next();
    assert.equal(socket.isPaused(), false);
  });

  test('that gathers is not read when its rest is over, as long as its reader is behind', async () => {
    const { socket, clock, reader } = await answered('a', () => 100);
    for (let i = 0; i < 20; i++) socket.push('x'.repeat(64 * 1024));
    await nextTurn();
    socket.push('x');
    await nextTurn();
    assert.equal(clock.timers, 1);
    await clock.advance(100);
    assert.equal(socket.isPaused(), true);
    await reader.next();
    assert.equal(socket.isPaused(), false);
  });

  test('that gathers and fails while it is read brings what came before', async () => {
    const { socket, clock, reader } = await answered('came', () => 100);
    socket.destroy(new Error('cut'));
    assert.equal(String(Buffer.from((await reader.next()).value ?? '')), 'came');
    await assert.rejects(reader.next(), { name: 'TransportError' });
    assert.equal(clock.timers, 0);
  });

  test('is not paused by a reader of an answer that is complete', async () => {
    const { socket, connection } = inHand();
    const ended = new Promise<void>((onEnd) => {
      connection.send('GET / HTTP/1.1\r\n\r\n', undefined, { ...silent, onEnd });
    });
    socket.push('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
    await ended;
    connection.pause();
    assert.equal(socket.isPaused(), false);
  });

  test('that is paused does not read a byte', async () => {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const incoming = new Incoming();
    const { port } = server.address() as AddressInfo;
    const socket = connectSocket({ port, host: '127.0.0.1', onread: incoming.onread });
    const [[otherEnd]] = await Promise.all([once(server, 'connection') as Promise<[Socket]>, once(socket, 'connect')]);
    const sent = (text: string) => new Promise<void>((resolve) => void otherEnd.write(text, () => resolve()));
    const connection = new Connection(socket, () => {}, incoming);
    let heard = '';
    const ended = new Promise<void>((onEnd) => {
      const onData = (bytes: Uint8Array) => {
        heard += Buffer.from(bytes).toString();
        if (heard === 'hello') connection.pause();
      };
      connection.send('GET / HTTP/1.1\r\n\r\n', undefined, { ...silent, onData, onEnd });
    });
    await sent('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello');
    await until(() => heard === 'hello');
    const { bytesRead } = socket;
    await sent('world'); // the kernel has it
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    assert.equal(socket.bytesRead, bytesRead);
    connection.resume();
    await ended;
    assert.equal(heard, 'helloworld');
    connection.close();
    server.close();
  });

  test('is closed after its time of rest, which ends when it is used', async () => {
    const server = createServer(() => {});
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connectSocket((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    const connection = new Connection(socket, () => {});
    connection.rest(60_000);
    connection.wake();
    assert.equal(socket.timeout, 0);
    connection.rest(1);
    await once(socket, 'close');
    assert.equal(connection.isUsable, false);
    server.close();
  });
});
