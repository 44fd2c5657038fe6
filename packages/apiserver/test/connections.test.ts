/** How long connections are kept whose other end says nothing, or reads nothing, and how many requests one of them holds. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectPlain, Server } from 'node:net';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { createApiServer } from '@keelson/apiserver';
import { nextTurn, systemRandom } from '@keelson/core/system';
import { createAuthority } from '@keelson/core/x509';
import type { ApiRequest, ApiResponse, Sink } from '../src/request/exchange.ts';
import { type Patience, serveHttps } from '../src/serving/https.ts';

const endless: Patience = { headersMs: 600_000, bodyMs: 600_000, idleMs: 600_000 };
const ok: ApiResponse = { status: 200, headers: {}, body: [Buffer.from('ok')] };

/** A door whose answers a test gives, and plain connections to it. */
async function open(
  patience: Partial<Patience>,
  answer: (request: ApiRequest) => ApiResponse = () => ok,
  onError?: (error: unknown) => void,
) {
  const authority = createAuthority(systemRandom);
  const server = authority.issueServer('kube-apiserver', ['127.0.0.1']);
  const door = await serveHttps(async (request) => answer(request), {
    port: 0,
    server,
    authority: authority.certificate,
    patience: { ...endless, ...patience },
    onError,
  });
  return {
    port: door.port,
    dial: () => dial(door.port, authority.certificate),
    [Symbol.asyncDispose]: () => door[Symbol.asyncDispose](),
  };
}

async function dial(port: number, ca: string) {
  const socket = connect({ host: '127.0.0.1', port, ca });
  await once(socket, 'secureConnect');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const closed = once(socket, 'close');
  return {
    socket,
    closed: closed.then(() => text),
    text: () => text,
    until: (part: string) => until(socket, () => text.includes(part)),
  };
}

async function until(socket: TLSSocket, isSo: () => boolean): Promise<void> {
  while (!isSo()) await once(socket, 'data');
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const half = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"a":';

test('who connects and says nothing is let go', async () => {
  await using door = await open({ headersMs: 100 });
  assert.equal(await (await door.dial()).closed, '');
});

test('a server that closes does not wait for who has not finished the handshake', { timeout: 60_000 }, async () => {
  const door = await open({});
  const shy = connectPlain({ host: '127.0.0.1', port: door.port });
  const left = once(
    shy.resume().on('error', () => {}),
    'close',
  );
  await door.dial(); // one after the other: that one was accepted before
  await door[Symbol.asyncDispose]();
  await left;
});

test('who sends half of the headers is let go', async () => {
  await using door = await open({ headersMs: 100 });
  const { socket, closed } = await door.dial();
  socket.write('GET / HTTP/1.1\r\nHost: local');
  assert.equal(await closed, '');
});

test('who sends half of a body is told so and let go', async () => {
  await using door = await open({ bodyMs: 100 });
  const { socket, closed } = await door.dial();
  socket.write(half);
  assert.match(await closed, /^HTTP\/1\.1 504 [\s\S]*"reason":"Timeout"/);
});

test('who was answered and asks nothing more is let go', async () => {
  await using door = await open({ idleMs: 100 });
  const { socket, closed } = await door.dial();
  socket.write(get('/'));
  assert.match(await closed, /^HTTP\/1\.1 200 [\s\S]*ok$/);
});

test('what is no HTTP is a bad request', async () => {
  await using door = await open({});
  const { socket, closed } = await door.dial();
  socket.write('nonsense\r\n\r\n');
  assert.match(await closed, /^HTTP\/1\.1 400 Bad Request[\s\S]*400 Bad Request$/);
});

test('who would rather speak something else than HTTP keeps its body, and is answered', async () => {
  await using door = await open({ idleMs: 100 }, ({ body }) => ({ ...ok, body: [Buffer.from(`heard ${body}`)] }));
  const { socket, closed } = await door.dial();
  const headers = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 5';
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\nhello`);
  assert.match(await closed, /^HTTP\/1\.1 200 [\s\S]*heard hello$/);
});

test('a WebSocket that cannot be made is told to who runs the server', async () => {
  const errors: unknown[] = [];
  const broken = () => {
    throw new Error('out of order');
  };
  await using door = await open({}, broken, (error) => errors.push(error));
  const { socket, closed } = await door.dial();
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  assert.equal(await closed, '');
  assert.deepEqual(errors.map(String), ['Error: out of order']);
});

test('a watch outlives all of these', async () => {
  let sink: Sink | undefined;
  const body = (given: Sink) => {
    sink = given;
    return { [Symbol.dispose]() {} };
  };
  await using door = await open({ headersMs: 50, bodyMs: 50, idleMs: 50 }, () => ({ status: 200, headers: {}, body }));
  const watching = await door.dial();
  watching.socket.write(get('/'));
  await watching.until('200 OK');
  // Others come and are let go, three times over: so long it lasts at least.
  for (let others = 0; others < 3; others++) await (await door.dial()).closed;
  sink?.write(Buffer.from('still here'));
  await watching.until('still here');
  watching.socket.destroy();
});

test('requests of one connection are answered one after the other, and a watch is one of them', async () => {
  const sinks: Sink[] = [];
  const body = (sink: Sink) => {
    sinks.push(sink);
    return { [Symbol.dispose]() {} };
  };
  await using door = await open({}, () => ({ status: 200, headers: {}, body }));
  const { socket, until: seen } = await door.dial();
  socket.write(get('/').repeat(50));
  await seen('200 OK');
  const other = await door.dial();
  other.socket.write(get('/'));
  await other.until('200 OK');
  assert.equal(sinks.length, 2, 'one for each connection');
  sinks[0]?.write(Buffer.from('first'));
  sinks[0]?.end();
  await seen('first');
  await seen('0\r\n\r\nHTTP/1.1 200 OK');
  assert.equal(sinks.length, 3);
  for (const each of [socket, other.socket]) each.destroy();
});

test('a connection that asks a hundred times without waiting is cut', async () => {
  const body = () => ({ [Symbol.dispose]() {} });
  await using door = await open({}, () => ({ status: 200, headers: {}, body }));
  const { socket, closed } = await door.dial();
  socket.on('error', () => {});
  socket.write(get('/').repeat(200));
  await closed;
});

test('a watch that nobody reads is cut before much has gathered', async () => {
  await using server = createApiServer();
  await using door = await server.listen();
  const field = (name: string) =>
    Buffer.from(new RegExp(`${name}: (\\S+)`).exec(door.kubeconfig)?.[1] ?? '', 'base64').toString();
  const socket = connect({
    host: '127.0.0.1',
    port: door.port,
    ca: door.certificateAuthority,
    cert: field('client-certificate-data'),
    key: field('client-key-data'),
  });
  await once(socket, 'secureConnect');
  socket.write(get('/api/v1/namespaces/default/configmaps?watch=true'));
  await once(socket, 'data');
  socket.pause();
  const send = async (method: 'POST' | 'PATCH', path: string, type: string, value: object) => {
    const { body } = await server.transport.request({
      method,
      path,
      headers: { 'content-type': type },
      body: JSON.stringify(value),
    });
    for await (const _ of body); // to its end
  };
  const path = '/api/v1/namespaces/default/configmaps';
  await send('POST', path, 'application/json', { metadata: { name: 'a' }, data: { large: 'x'.repeat(500_000) } });
  // Thirty megabytes in all, of which the buffers of the system take some on both sides.
  for (let sent = 0; sent < 60; sent++) {
    await send('PATCH', `${path}/a`, 'application/merge-patch+json', { data: { sent: String(sent) } });
    await nextTurn();
  }
  let received = 0;
  socket
    .on('error', () => {})
    .on('data', ({ length }: Buffer) => {
      received += length;
    });
  socket.resume();
  await once(socket, 'close'); // never, if it were kept
  assert.ok(received < 20_000_000, `${received} bytes were kept`);
});

test('what fails after it listens is reported, and the server goes on', async (t) => {
  const { mock } = t.mock.method(Server.prototype, 'listen');
  const told: unknown[] = [];
  await using server = createApiServer({ onError: (error) => told.push(error) });
  const { port, certificateAuthority } = await server.listen();
  const listening = mock.calls[0]?.this as Server;
  const failure = new Error('accept EMFILE');
  for (let i = 0; i < 2; i++) listening.emit('error', failure);
  assert.deepEqual(told, [failure, failure]);
  const line = await dial(port, certificateAuthority);
  line.socket.write(get('/readyz'));
  await line.until('ok');
  line.socket.destroy();
});
