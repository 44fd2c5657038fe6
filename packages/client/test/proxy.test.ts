import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import type { Transport, TransportRequest } from '@keelson/core';
import { Secret } from '../src/config/secret.ts';
import { type ConnectOptions, connect } from '../src/index.ts';
import { bytesOf } from '../src/transport/bytes.ts';
import { ca, server as certificate, otherCa } from './certificates.ts';
import { ManualClock } from './manual-clock.ts';
import { startConnectProxy, startSocksProxy } from './proxies.ts';
import { configFor, data, type Script, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const password = 'hunter2hunter2';
const hello: Script = (_request, response) => void response.end('hello');

async function ask(transport: Transport, more: Partial<TransportRequest> = {}): Promise<string> {
  const { body } = await transport.request({ method: 'GET', path: '/', headers: {}, ...more });
  return (await bytesOf(body)).toString();
}

/** `api.example` is known to nobody here, so a name that is looked up on this side shows as a failure. */
function through(proxyUrl: string, options: ConnectOptions & { url?: string; trust?: string } = {}): Transport {
  const { url = 'https://api.example:6443', trust = ca, ...rest } = options;
  const tls = { ca: data(trust), insecureSkipVerify: false };
  return connect(configFor(url, { proxyUrl: new Secret(proxyUrl), tls }), rest);
}

describe('a proxy leads to the server', () => {
  test('by CONNECT, with a user and a password, for requests and streams', async () => {
    await using server = await startServer(hello, certificate);
    await using proxy = await startConnectProxy(server.url);
    await using transport = through(`http://me:p%40ss@${proxy.host}`);
    assert.equal(await ask(transport), 'hello');
    assert.equal(await ask(transport), 'hello');
    assert.deepEqual(await Promise.all([ask(transport, { streaming: true }), ask(transport)]), ['hello', 'hello']);
    const tunnel = { to: 'api.example:6443', as: 'me:p@ss' };
    assert.deepEqual(proxy.asked, [tunnel, tunnel], 'connections are kept');
  });

  test('by CONNECT over TLS, where the cluster or Node knows its authority', async () => {
    await using server = await startServer(hello, certificate);
    await using proxy = await startConnectProxy(server.url, { tls: certificate });
    await using transport = through(`https://${proxy.host}`);
    assert.equal(await ask(transport), 'hello');
    await using distrustful = through(`https://${proxy.host}`, { trust: otherCa });
    await assert.rejects(ask(distrustful), {
      name: 'TransportError',
      message: `https://api.example:6443: the proxy https://${proxy.host} cannot be used: its certificate comes from an unknown authority`,
    });
  });

  test('by SOCKS5, which looks names up itself', async () => {
    await using server = await startServer(hello, certificate);
    await using proxy = await startSocksProxy(server.url);
    for (const scheme of ['socks5', 'socks5h']) {
      await using transport = through(`${scheme}://${proxy.host}`);
      assert.equal(await ask(transport), 'hello');
    }
    await using byAddress = through(`socks5://${proxy.host}`, { url: server.url });
    assert.equal(await ask(byAddress), 'hello');
    assert.deepEqual(
      proxy.asked.map(({ to }) => to),
      ['api.example:6443', 'api.example:6443', new URL(server.url).host],
    );
  });

  test('by SOCKS5 with a user and a password', async () => {
    await using server = await startServer(hello, certificate);
    await using proxy = await startSocksProxy(server.url, { account: 'me:p@ss' });
    await using transport = through(`socks5://me:p%40ss@${proxy.host}`);
    assert.equal(await ask(transport), 'hello');
    assert.deepEqual(proxy.asked, [{ to: 'api.example:6443', as: 'me:p@ss' }]);
  });

  test('to an IPv6 address', async () => {
    await using server = await startServer(hello);
    await using socks = await startSocksProxy(server.url);
    await using transport = through(`socks5://${socks.host}`, { url: 'http://[fd00:1::2:ff]:8080' });
    assert.equal(await ask(transport), 'hello');
    assert.deepEqual(socks.asked[0]?.to, '253.0.0.1.0.0.0.0.0.0.0.0.0.2.0.255:8080');
    await using http = await startConnectProxy(server.url);
    await using tunnelled = through(`http://${http.host}`, { url: 'http://[fd00:1::2:ff]' });
    assert.equal(await ask(tunnelled), 'hello');
    assert.equal(http.asked[0]?.to, '[fd00:1::2:ff]:80');
  });

  test('over no more connections than allowed', async () => {
    const waiting: (() => void)[] = [];
    await using server = await startServer((_request, response) => waiting.push(() => response.end('x')));
    await using proxy = await startSocksProxy(server.url);
    await using transport = through(`socks5://${proxy.host}`, { url: 'http://api.example', maxConnections: 2 });
    const answers = Promise.all(Array.from({ length: 6 }, () => ask(transport)));
    for (let answered = 0; answered < 6; answered++) {
      await until(() => waiting.length > 0);
      waiting.shift()?.();
    }
    await answers;
    assert.equal(proxy.asked.length, 2);
  });
});

describe('a proxy that does not', () => {
  async function failure(proxyUrl: string, options: ConnectOptions = {}): Promise<string> {
    await using transport = through(proxyUrl, options);
    const error = await ask(transport).then(
      () => assert.fail('it should have failed'),
      (reason: Error) => reason,
    );
    assert.equal(error.name, 'TransportError');
    assert.ok(!inspect(error, { depth: 9, showHidden: true }).includes(password), 'no secret in an error');
    return error.message.replace('https://api.example:6443: ', '').replaceAll(new URL(proxyUrl).host, 'HOST');
  }

  /** Something that is no proxy at all. */
  async function listener(onSocket: (socket: Socket) => void) {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      onSocket(socket);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return {
      host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      sockets,
      [Symbol.asyncDispose]: async () => {
        server.close();
        for (const socket of sockets) socket.destroy();
      },
    };
  }

  const nowhere = 'http://127.0.0.1:9';

  test('know us says what it wants', async () => {
    await using closed = await startConnectProxy(nowhere, {
      refuse: 'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n<html>',
    });
    assert.equal(
      await failure(`http://me:${password}@${closed.host}`),
      'the proxy http://HOST wants a user and a password (407), such as http://user:password@HOST',
    );
    await using socks = await startSocksProxy(nowhere, { account: 'me:other' });
    assert.equal(
      await failure(`socks5://me:${password}@${socks.host}`),
      'the proxy socks5://HOST does not accept the user and password in its URL',
    );
    assert.equal(
      await failure(`socks5://${socks.host}`),
      'the proxy socks5://HOST wants a user and a password, in its URL',
    );
  });

  test('let us through says why', async () => {
    await using http = await startConnectProxy(nowhere, { refuse: 'HTTP/1.1 403 Forbidden\r\n\r\n' });
    assert.equal(
      await failure(`http://me:${password}@${http.host}`),
      'the proxy http://HOST does not let us through to api.example:6443: 403 Forbidden',
    );
    const replies: readonly [number, string][] = [
      [2, 'its rules do not allow it'],
      [5, 'connection refused'],
      [99, 'reply 99'],
    ];
    for (const [reply, why] of replies) {
      await using socks = await startSocksProxy(nowhere, { reply });
      assert.equal(
        await failure(`socks5://${socks.host}`),
        `the proxy socks5://HOST does not let us through to api.example:6443: ${why}`,
      );
    }
  });

  test('exist cannot be used', async () => {
    const gone = await listener(() => {});
    const { host } = gone;
    await gone[Symbol.asyncDispose]();
    for (const scheme of ['http', 'https', 'socks5'])
      assert.equal(
        await failure(`${scheme}://me:${password}@${host}`),
        `the proxy ${scheme}://HOST cannot be used: connection refused`,
      );
  });

  test('speak the language is recognised', async () => {
    await using chatty = await listener((socket) => socket.write('220 smtp.example ESMTP\r\n\r\n'));
    assert.equal(
      await failure(`http://${chatty.host}`),
      'the proxy http://HOST does not speak HTTP; is its address right?',
    );
    assert.equal(
      await failure(`socks5://${chatty.host}`),
      'the proxy socks5://HOST does not speak SOCKS5; is its address right?',
    );
    await using mute = await listener((socket) => socket.once('data', () => socket.end('\x05')));
    assert.equal(await failure(`socks5://${mute.host}`), 'the proxy socks5://HOST closed the connection');
    assert.equal(await failure(`http://${mute.host}`), 'the proxy http://HOST closed the connection');
  });

  test('answer is given up in time, and at once when the transport is disposed', async () => {
    await using silent = await listener((socket) => socket.resume());
    const clock = new ManualClock();
    const late = failure(`http://${silent.host}`, { clock, connectTimeoutMs: 5000 });
    await until(() => silent.sockets.size === 1 && clock.timers === 1);
    await clock.advance(5000);
    assert.equal(await late, 'the proxy http://HOST did not answer within 5 s');
    assert.equal(clock.timers, 0);

    const transport = through(`socks5://${silent.host}`, { clock });
    const ended = assert.rejects(ask(transport), { message: 'https://api.example:6443: the transport is closed' });
    await until(() => silent.sockets.size === 2 && clock.timers === 1);
    await transport[Symbol.asyncDispose]();
    await ended;
    await until(() => [...silent.sockets].every((socket) => socket.closed));
    assert.equal(clock.timers, 0);
  });

  test('lead to a server that speaks TLS is left at once when the transport is disposed', async () => {
    await using silent = await listener((socket) => socket.resume());
    await using proxy = await startConnectProxy(`http://${silent.host}`);
    const transport = through(`http://${proxy.host}`);
    const ended = assert.rejects(ask(transport), { message: 'https://api.example:6443: the transport is closed' });
    await until(() => [...silent.sockets].some((socket) => socket.bytesRead > 0), { what: 'the handshake to begin' });
    await transport[Symbol.asyncDispose]();
    await ended;
    await until(() => [...silent.sockets].every((socket) => socket.closed), { timeoutMs: 25_000 });
  });
});
