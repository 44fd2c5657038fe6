import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { sleep, type Transport, type TransportRequest } from '@keelson/core';
import { nextTurn, systemClock } from '@keelson/core/system';
import { Secret } from '../src/config/secret.ts';
import { connect } from '../src/index.ts';
import { bytesOf } from '../src/transport/bytes.ts';
import { alice, ca, expired, named, otherCa, server as serverCertificate } from './certificates.ts';
import { ManualClock } from './manual-clock.ts';
import { configFor, data, type Script, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const get = (path: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: 'GET',
  path,
  headers: { accept: 'application/json' },
  ...more,
});

async function textOf(transport: Transport, request: TransportRequest): Promise<string> {
  return (await bytesOf((await transport.request(request)).body)).toString();
}

const hello: Script = (_request, response) => void response.end('hello');

describe('connections', () => {
  test('are reused by requests that follow each other', async () => {
    await using server = await startServer(hello, serverCertificate);
    await using transport = connect(configFor(server.url, { tls: { ca: data(ca), insecureSkipVerify: false } }));
    for (let i = 0; i < 20; i++) assert.equal(await textOf(transport, get('/')), 'hello');
    assert.equal(server.connections, 1);
  });

  test('are made anew where the server closes them', async () => {
    await using server = await startServer((_request, response) => response.setHeader('connection', 'close').end('x'));
    await using transport = connect(configFor(server.url), { maxConnections: 1 });
    for (let i = 0; i < 3; i++) assert.equal(await textOf(transport, get('/')), 'x');
    assert.equal(server.connections, 3);
  });

  test('are left when more comes on them than was asked for', async () => {
    await using server = await startServer(hello);
    await using transport = connect(configFor(server.url));
    assert.equal(await textOf(transport, get('/')), 'hello');
    for (const socket of server.openSockets) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil');
    await until(() => server.openSockets.size === 0);
    assert.equal(await textOf(transport, get('/')), 'hello');
  });

  test('are left where the answer came before the request was read', async () => {
    const sockets: Socket[] = [];
    const server = createSocketServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      // It reads the first bytes, and no more.
      socket.once('data', () => {
        socket.pause();
        socket.write('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno');
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      await using transport = connect(configFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
      const large = { ...get('/'), method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) } as const;
      assert.equal(await textOf(transport, large), 'no');
      assert.equal(await textOf(transport, get('/')), 'no');
      assert.equal(sockets.length, 2);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test('go on with the session of those before', async () => {
    const resumed: boolean[] = [];
    await using server = await startServer(({ incoming }, response) => {
      resumed.push((incoming.socket as TLSSocket).isSessionReused());
      response.setHeader('connection', 'close').end('x');
    }, serverCertificate);
    await using transport = connect(configFor(server.url, { tls: { ca: data(ca), insecureSkipVerify: false } }));
    for (let i = 0; i < 3; i++) assert.equal(await textOf(transport, get('/')), 'x');
    assert.deepEqual(resumed, [false, true, true]);
  });

  test('do not keep a process alive that has nothing left to do', async () => {
    const late: Script = (_request, response) => void systemClock.setTimer(100, () => response.end('late'));
    await using server = await startServer((request, response) => {
      hello(request, response);
      server.script = late; // it waits for an answer, too, on a connection that it has used before
    });
    const program = `
      import { connect } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
      const transport = connect(${JSON.stringify(configFor(server.url))});
      for (const path of ['/', '/late']) {
        const { body } = await transport.request({ method: 'GET', path, headers: {} });
        for await (const _ of body);
      }`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.deepEqual([code, server.requests.length, server.connections], [0, 2, 1]);
  });

  test('are bounded for requests, which then wait for each other', async () => {
    const waiting: (() => void)[] = [];
    await using server = await startServer((_request, response) => waiting.push(() => response.end('x')));
    await using transport = connect(configFor(server.url), { maxConnections: 2 });
    const answers = Promise.all(Array.from({ length: 6 }, () => textOf(transport, get('/'))));
    for (let answered = 0; answered < 6; ) {
      await until(() => waiting.length > 0);
      assert.ok(waiting.length <= 2);
      waiting.shift()?.();
      answered += 1;
    }
    await answers;
    assert.equal(server.connections, 2);
  });

  test('are one for each stream, beside those for requests', async () => {
    await using server = await startServer(({ path }, response) => {
      if (path === '/stream') response.write('begin');
      else response.end('answer');
    });
    await using transport = connect(configFor(server.url), { maxConnections: 1 });
    const streams = await Promise.all([1, 2, 3].map(() => transport.request(get('/stream', { streaming: true }))));
    assert.equal(await textOf(transport, get('/')), 'answer');
    assert.equal(server.connections, 4);
    for (const { body } of streams) await body[Symbol.asyncIterator]().return?.();
    await until(() => server.openSockets.size === 1);
  });

  test('close when the transport is disposed, and nothing is sent afterwards', async () => {
    await using server = await startServer((_request, response) => void response.write('begin'));
    const transport = connect(configFor(server.url));
    const stream = await transport.request(get('/stream', { streaming: true }));
    const reading = assert.rejects(bytesOf(stream.body), /the transport is closed/);
    await transport[Symbol.asyncDispose]();
    await reading;
    await assert.rejects(transport.request(get('/')), {
      name: 'TransportError',
      message: `${server.url}: the transport is closed`,
    });
    await until(() => server.openSockets.size === 0);
  });

  test('are not waited for when the transport is disposed', async () => {
    await using server = await startServer(() => {});
    const transport = connect(configFor(server.url), { maxConnections: 1 });
    const closed = { message: `${server.url}: the transport is closed` };
    const ended = Array.from({ length: 3 }, () => assert.rejects(transport.request(get('/')), closed));
    await until(() => server.requests.length === 1);
    await transport[Symbol.asyncDispose]();
    await Promise.all(ended);
    assert.equal(server.requests.length, 1);
  });

  test('that are still being made close too when the transport is disposed', async () => {
    const sockets = new Set<Socket>();
    const mute = createSocketServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {}).resume();
    });
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    const transport = connect(configFor(url));
    try {
      const controller = new AbortController();
      const given = transport.request(get('/', { signal: controller.signal })); // its connection goes on being made
      const ended = Array.from({ length: 11 }, () =>
        assert.rejects(transport.request(get('/', { streaming: true })), {
          message: `${url}: the transport is closed`,
        }),
      );
      await until(() => sockets.size === 12);
      controller.abort(new Error('no time'));
      await assert.rejects(given, /no time/);
      await transport[Symbol.asyncDispose]();
      await Promise.all(ended);
      await until(() => [...sockets].every((socket) => socket.closed), { what: 'all to close', timeoutMs: 25_000 });
    } finally {
      for (const socket of sockets) socket.destroy();
      mute.close();
    }
  });

  test('that take too long to be made are given up', async () => {
    const sockets: Socket[] = [];
    const mute = createSocketServer((socket) => sockets.push(socket.on('error', () => {}).resume()));
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}`;
    await using transport = connect(configFor(url), { connectTimeoutMs: 50 });
    await assert.rejects(transport.request(get('/')), {
      message: `${url}: no connection could be made in time; is a firewall in between?`,
    });
    await until(() => sockets.every((socket) => socket.closed));
    mute.close();
  });

  test('that streams have left are kept no more than those of requests', async () => {
    await using server = await startServer(hello);
    await using transport = connect(configFor(server.url), { maxConnections: 2 });
    await Promise.all(Array.from({ length: 9 }, () => textOf(transport, get('/', { streaming: true }))));
    await until(() => server.openSockets.size === 2);
  });

  test('are closed when the server says that it will send no more, whatever it has not read', async () => {
    const server = createSocketServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.pause().end());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    await using transport = connect(configFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    const large = { ...get('/'), method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) } as const;
    await assert.rejects(transport.request(large), /the connection was closed before the answer was complete/);
    server.close();
  });

  test('are not made before they are needed', async () => {
    await using server = await startServer(hello);
    await using _ = connect(configFor(server.url));
    assert.equal(server.connections, 0);
  });
});

describe('a last check before sending', () => {
  test('comes when the request has its connection, and can stop it there', async () => {
    const waiting: (() => void)[] = [];
    await using server = await startServer((_request, response) => waiting.push(() => response.end('x')));
    await using transport = connect(configFor(server.url), { maxConnections: 1 });
    let mayWrite = true;
    const refusal = new Error('no longer the leader');
    const beforeSend = () => {
      if (!mayWrite) throw refusal;
    };
    const first = textOf(transport, get('/first', { beforeSend }));
    await until(() => waiting.length === 1);
    const second = assert.rejects(transport.request(get('/second', { beforeSend })), (error) => error === refusal);
    mayWrite = false; // while the second waits for the connection
    waiting[0]?.();
    assert.equal(await first, 'x');
    await second;
    mayWrite = true;
    const third = textOf(transport, get('/third', { beforeSend }));
    await until(() => waiting.length === 2);
    waiting[1]?.();
    await third;
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      ['/first', '/third'],
    );
  });
});

describe('an abort', () => {
  test('in the last check before sending sends nothing', async () => {
    await using server = await startServer(hello);
    await using transport = connect(configFor(server.url), { maxConnections: 1 });
    const controller = new AbortController();
    const beforeSend = () => controller.abort(new Error('no time'));
    await assert.rejects(transport.request(get('/a', { beforeSend, signal: controller.signal })), /no time/);
    assert.equal(await textOf(transport, get('/b')), 'hello');
    assert.deepEqual(
      server.requests.map(({ path }) => path),
      ['/b'],
    );
  });

  test('ends a request that waits for its answer, and closes the socket', async () => {
    await using server = await startServer(() => {});
    await using transport = connect(configFor(server.url));
    const controller = new AbortController();
    const request = transport.request(get('/', { signal: controller.signal }));
    await until(() => server.requests.length === 1);
    const reason = new Error('enough');
    controller.abort(reason);
    await assert.rejects(request, reason);
    await until(() => server.openSockets.size === 0);
  });

  test('ends a request that still waits for a connection, at once', async () => {
    await using server = await startServer(() => {});
    await using transport = connect(configFor(server.url), { maxConnections: 1 });
    const first = new AbortController();
    const holding = transport.request(get('/', { signal: first.signal }));
    await until(() => server.requests.length === 1);
    const second = new AbortController();
    const queued = transport.request(get('/', { signal: second.signal }));
    second.abort(new Error('no longer wanted'));
    await assert.rejects(queued, /no longer wanted/);
    first.abort(new Error('nor this'));
    await assert.rejects(holding, /nor this/);
    assert.equal(server.requests.length, 1);
  });

  test('ends the reading of an answer', async () => {
    await using server = await startServer((_request, response) => void response.write('begin'));
    await using transport = connect(configFor(server.url));
    const controller = new AbortController();
    const { body } = await transport.request(get('/', { signal: controller.signal, streaming: true }));
    const chunks = body[Symbol.asyncIterator]();
    assert.equal(Buffer.from((await chunks.next()).value).toString(), 'begin');
    const next = chunks.next();
    controller.abort(new Error('enough'));
    await assert.rejects(next, /enough/);
    await until(() => server.openSockets.size === 0);
  });

  test('before the request sends nothing', async () => {
    await using server = await startServer(hello);
    await using transport = connect(configFor(server.url));
    await assert.rejects(transport.request(get('/', { signal: AbortSignal.abort(new Error('too late')) })), /too late/);
    assert.equal(server.connections, 0);
  });
});

describe('a stream that gathers', () => {
  /** A reader of a stream whose lines the test sends. */
  async function streaming(tls?: Parameters<typeof startServer>[1]) {
    let response: ServerResponse | undefined;
    const server = await startServer((_request, answer) => {
      response = answer;
      answer.flushHeaders();
    }, tls);
    const clock = new ManualClock();
    const authority = { tls: { ca: data(ca), insecureSkipVerify: false } };
    const transport = connect(configFor(server.url, tls ? authority : {}), { clock });
    const stop = new AbortController();
    const { body } = await transport.request(get('/', { streaming: true, gatherMs: () => 100, signal: stop.signal }));
    const reader = body[Symbol.asyncIterator]();
    let isSettled = true;
    return {
      clock,
      stop,
      server,
      transport,
      send: (text: string) => new Promise<void>((resolve) => void response?.write(text, () => resolve())),
      end: () => response?.end(),
      cut: (how: 'closed' | 'reset') => (how === 'reset' ? response?.socket?.resetAndDestroy() : response?.destroy()),
      /** The next piece; `end` at the end. */
      async next() {
        isSettled = false;
        const { value, done } = await reader.next().finally(() => {
          isSettled = true;
        });
        return done ? 'end' : Buffer.from(value).toString();
      },
      /** The next piece, however many rests it takes until it is there. */
      async inTime() {
        const piece = this.next();
        piece.catch(() => {});
        while (!isSettled) {
          await nextTurn();
          if (clock.timers > 0) await clock.advance(100); // it rests
        }
        return await piece;
      },
      get isSettled() {
        return isSettled;
      },
      async [Symbol.asyncDispose]() {
        await transport[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  for (const [name, tls] of [
    ['without TLS', undefined],
    ['over TLS', serverCertificate],
  ] as const) {
    test(`brings what comes alone at once, and what follows together, ${name}`, async (t) => {
      const sockets: Socket[] = [];
      const { setNoDelay } = Socket.prototype;
      t.mock.method(Socket.prototype, 'setNoDelay', function (this: Socket, isOn: boolean) {
        if (!sockets.includes(this)) sockets.push(this);
        return setNoDelay.call(this, isOn);
      });
      await using stream = await streaming(tls);
      const ours = sockets.filter(({ remotePort }) => stream.server.url.endsWith(`:${remotePort}`));
      assert.equal(ours.length, 1);
      const [socket] = ours;
      await stream.send('a');
      assert.equal(await stream.next(), 'a');
      const next = stream.next();
      const bytesRead = socket?.bytesRead;
      await stream.send('b');
      await stream.send('c');
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      assert.equal(stream.isSettled, false);
      assert.equal(socket?.bytesRead, bytesRead, 'nothing is read');
      await stream.clock.advance(100);
      assert.equal(await next, 'bc');
    });
  }

  test('brings what came before the end, then the end', async () => {
    await using stream = await streaming();
    await stream.send('a');
    assert.equal(await stream.next(), 'a');
    await stream.send('b');
    stream.end();
    assert.equal(await stream.inTime(), 'b');
    assert.equal(await stream.inTime(), 'end');
    assert.equal(stream.clock.timers, 0);
  });

  for (const how of ['closed', 'reset'] as const) {
    test(`brings what came before its connection was ${how}, then the failure`, async () => {
      await using stream = await streaming();
      await stream.send('a');
      assert.equal(await stream.next(), 'a');
      await stream.send('b');
      stream.cut(how);
      await until(() => stream.server.openSockets.size === 0);
      assert.equal(await stream.inTime(), 'b');
      await assert.rejects(stream.inTime(), { name: 'TransportError' });
      assert.equal(stream.clock.timers, 0);
    });
  }

  test('is read as fast as it comes, when that is much', async () => {
    await using stream = await streaming();
    const line = `${'x'.repeat(9999)}\n`;
    const whole = line.repeat(1000);
    void stream.send(whole);
    let length = 0;
    while (length < whole.length) {
      const piece = await stream.inTime();
      assert.notEqual(piece, 'end');
      length += piece.length;
    }
    // A rest for each turn of the event loop would be twenty of them.
    assert.ok(stream.clock.monotonic() <= 500, `${stream.clock.monotonic()} ms of rests`);
  });

  test('leaves a connection that is read to the next request, however much its reader had not read', async () => {
    await using stream = await streaming();
    for (let i = 0; i < 10; i++) await stream.send('x'.repeat(104_000));
    await stream.send('y'.repeat(9000));
    stream.end();
    stream.server.script = (_request, response) => void response.end('hello');
    let all = '';
    for (let piece = await stream.inTime(); piece !== 'end'; piece = await stream.inTime()) all += piece;
    assert.equal(all.length, 1_049_000);
    assert.equal(await textOf(stream.transport, get('/')), 'hello');
  });

  test('ends at once when it is aborted while nothing is read, and closes its connection', async () => {
    await using stream = await streaming();
    await stream.send('a');
    assert.equal(await stream.next(), 'a');
    const next = stream.next();
    stream.stop.abort(new Error('enough'));
    await assert.rejects(next, { message: 'enough' });
    await until(() => stream.server.openSockets.size === 0);
    assert.equal(stream.clock.timers, 0);
  });
});

test('a large answer arrives whole, although the reader is slow', async () => {
  const large = Buffer.alloc(20 * 1024 * 1024, 'keelson ');
  await using server = await startServer((_request, response) => void response.end(large));
  await using transport = connect(configFor(server.url));
  const { body } = await transport.request(get('/'));
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) {
    chunks.push(chunk);
    await sleep(systemClock, 0);
  }
  assert.ok(Buffer.concat(chunks).equals(large));
});

describe('requests carry', () => {
  test('method, body, user agent, credentials and whom to act as', async () => {
    await using server = await startServer(hello);
    await using transport = connect(
      configFor(server.url, {
        credentials: { type: 'basic', username: 'me', password: new Secret('pw') },
        impersonate: { user: 'jane', uid: 'u1', groups: ['a', 'b'], extra: { 'example.com/Scopes': ['x', 'y'] } },
      }),
      { userAgent: 'test/1' },
    );
    await textOf(transport, {
      method: 'POST',
      path: '/a?b=c',
      headers: { 'content-type': 'application/json' },
      body: '{"ü":1}',
    });
    const [{ method, path, body, headers, incoming } = assert.fail()] = server.requests;
    assert.deepEqual([method, path, body], ['POST', '/a?b=c', '{"ü":1}']);
    assert.equal(headers.authorization, `Basic ${Buffer.from('me:pw').toString('base64')}`);
    assert.equal(headers['user-agent'], 'test/1');
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['impersonate-user'], 'jane');
    assert.equal(headers['impersonate-uid'], 'u1');
    assert.equal(headers['impersonate-group'], 'a, b');
    assert.equal(headers['impersonate-extra-example.com%2fscopes'], 'x, y');
    const names = incoming.rawHeaders.filter((_, i) => i % 2 === 0);
    assert.equal(names.filter((name) => name.toLowerCase() === 'impersonate-group').length, 2, 'a line for each group');
    assert.equal(headers['accept-encoding'], undefined);
  });

  test('names in any script, and keys with any character', async () => {
    await using server = await startServer(hello);
    const impersonate = { user: 'jürgen 🚢', groups: ['größe'], extra: { "it's(odd)*!%": ['ß'] } };
    await using transport = connect(configFor(server.url, { impersonate }));
    await textOf(transport, get('/'));
    const { headers } = server.requests[0] ?? assert.fail();
    const utf8 = (name: string) => Buffer.from(String(headers[name]), 'latin1').toString('utf8');
    assert.equal(utf8('impersonate-user'), 'jürgen 🚢');
    assert.equal(utf8('impersonate-group'), 'größe');
    assert.equal(utf8('impersonate-extra-it%27s%28odd%29%2a%21%25'), 'ß');
  });

  test("the path prefix of the server's address", async () => {
    await using server = await startServer(hello);
    await using transport = connect(configFor(`${server.url}/k8s/clusters/c-1/`));
    await textOf(transport, get('/api'));
    assert.equal(server.requests[0]?.path, '/k8s/clusters/c-1/api');
  });

  test('the wish for gzip only when asked, and then the answer is unpacked', async () => {
    await using server = await startServer(({ headers }, response) => {
      if (headers['accept-encoding'] !== 'gzip') response.end('plain');
      else response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('packed'));
    });
    await using packed = connect(configFor(server.url), { compression: true });
    assert.equal(await textOf(packed, get('/')), 'packed');
    await using refused = connect(configFor(server.url, { disableCompression: true }), { compression: true });
    assert.equal(await textOf(refused, get('/')), 'plain');
  });

  test('the wish for gzip, and an answer that only says it is packed is an error', async () => {
    await using server = await startServer(({ path }, response) => {
      const packed = gzipSync('x'.repeat(100_000));
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(path === '/half' ? packed.subarray(0, 50) : 'plain');
    });
    await using transport = connect(configFor(server.url), { compression: true });
    for (const path of ['/', '/half']) {
      await assert.rejects(textOf(transport, get(path)), {
        name: 'TransportError',
        message: `${server.url}: the answer is not packed as it says (gzip)`,
      });
    }
  });
});

describe('TLS', () => {
  const authority = { ca: data(ca), insecureSkipVerify: false };
  const attempt = async (url: string, tls = configFor(url).tls): Promise<string> => {
    await using transport = connect(configFor(url, { tls }));
    return await textOf(transport, get('/')).catch(
      (error: Error) => `${error.name}: ${error.message.replace(url, 'URL')}`,
    );
  };

  test('a client certificate is shown to the server', async () => {
    await using server = await startServer(
      ({ incoming }, response) => response.end((incoming.socket as TLSSocket).getPeerCertificate().subject.CN),
      { ...serverCertificate, ca, requestCert: true, rejectUnauthorized: true },
    );
    const clientCertificate = { certificate: data(alice.cert), key: data(alice.key) };
    assert.equal(await attempt(server.url, { ...authority, clientCertificate }), 'alice');
    assert.match(
      await attempt(server.url, authority),
      /^TransportError: URL: (it did not accept our client certificate|.*closed|.*reset)/,
    );
  });

  test('a certificate of an unknown authority is refused, and why', async () => {
    await using server = await startServer(hello, serverCertificate);
    const expected =
      'TransportError: URL: its certificate comes from an unknown authority; is certificate-authority right?';
    assert.equal(await attempt(server.url, { ca: data(otherCa), insecureSkipVerify: false }), expected);
    assert.equal(await attempt(server.url), expected);
  });

  test('an expired certificate is refused', async () => {
    await using server = await startServer(hello, expired);
    assert.equal(
      await attempt(server.url, authority),
      'TransportError: URL: its certificate has expired; renew it there, or is the clock of this machine wrong?',
    );
  });

  test('a certificate for another name is refused, unless that name is configured', async () => {
    await using server = await startServer(hello, named);
    assert.match(await attempt(server.url, authority), /its certificate is for another host; .*tls-server-name/);
    assert.equal(await attempt(server.url, { ...authority, serverName: 'api.example' }), 'hello');
    // The configured name also beats one in the address.
    const byName = server.url.replace('127.0.0.1', 'localhost');
    assert.equal(await attempt(byName, { ...authority, serverName: 'api.example' }), 'hello');
  });

  test('checks are off only when told', async () => {
    await using server = await startServer(hello, expired);
    assert.equal(await attempt(server.url, { insecureSkipVerify: true }), 'hello');
  });

  test('a server that does not speak it is recognised', async () => {
    await using server = await startServer(hello);
    const url = server.url.replace('http:', 'https:');
    assert.equal(
      await attempt(url, authority),
      'TransportError: URL: it does not speak TLS; should the address begin with http://?',
    );
  });
});

describe('a server that fails', () => {
  async function failure(onSocket: (socket: Socket) => void): Promise<string> {
    const server = createSocketServer((socket) => {
      socket.on('error', () => {});
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using transport = connect(configFor(url));
    try {
      return await textOf(transport, get('/')).then(
        (text) => `answered ${text}`,
        (error: Error) => `${error.name}: ${error.message.replace(url, 'URL')}`,
      );
    } finally {
      server.close();
    }
  }

  test('because nothing listens: is the cluster running?', async () => {
    const server = createSocketServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.close();
    await once(server, 'close');
    await using transport = connect(configFor(url));
    await assert.rejects(transport.request(get('/')), {
      name: 'TransportError',
      message: `${url}: connection refused; is the cluster running there?`,
    });
  });

  test('by closing before an answer', async () => {
    assert.equal(
      await failure((socket) => socket.once('data', () => socket.end())),
      'TransportError: URL: the connection was closed before the answer was complete',
    );
  });

  test('by a reset', async () => {
    assert.match(
      await failure((socket) => socket.once('data', () => socket.resetAndDestroy())),
      /^TransportError: URL: the connection was (reset|closed)/,
    );
  });

  test('in the middle of an answer', async () => {
    assert.match(
      await failure((socket) =>
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
          socket.end();
        }),
      ),
      /^TransportError: URL: the connection was closed before the answer was complete/,
    );
  });

  test('by not speaking HTTP', async () => {
    assert.match(
      await failure((socket) => socket.once('data', () => socket.end('\x15\x03\x01\x00\x02'))),
      /^TransportError: URL: it does not speak HTTP/,
    );
  });
});

describe("what cannot be sent is refused, and stands in nobody's way:", () => {
  for (const [what, request] of [
    ['a header that would end early', get('/', { headers: { 'x-a': 'b\r\nx-c: d' } })],
    ['a header of other characters than bytes', get('/', { headers: { 'x-a': '\u{1f4a5}' } })],
    ['a header whose name is none', get('/', { headers: { 'x a': 'b' } })],
    ['a length that is not ours', get('/', { headers: { 'Content-Length': '2' } })],
    ['a coding that is not ours', get('/', { headers: { 'transfer-encoding': 'chunked' } })],
    ['a path that would end early', get('/a HTTP/1.1\r\nx: y')],
  ] as const) {
    test(what, async () => {
      await using server = await startServer(hello);
      await using transport = connect(configFor(server.url), { maxConnections: 1 });
      await assert.rejects(transport.request(request), {
        name: 'TransportError',
        message: /cannot be sent|must be escaped/,
      });
      assert.equal(await textOf(transport, get('/')), 'hello');
      assert.equal(server.requests.length, 1);
    });
  }
});

test('options that make no sense are refused', () => {
  assert.throws(() => connect(configFor('http://127.0.0.1:1'), { maxConnections: 0 }), RangeError);
  assert.throws(() => connect(configFor('http://127.0.0.1:1'), { connectTimeoutMs: 0 }), RangeError);
});
