import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { connect, Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { type Clock, operator } from '@keelson/core';
import { nextTurn, systemClock, systemRandom } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { createAuthority } from '@keelson/core/x509';
import { controller, createManager, done } from '../src/index.ts';
import { ListenError, listen, type Visit } from '../src/serving/http-server.ts';
import { certificate, key } from './certificate.ts';
import { quietServer } from './quiet-server.ts';
import { inTime, rememberingLogger } from './widget.ts';

const host = '127.0.0.1';
const unexpected = (error: Error) => assert.fail(error);
const quiet = { onError: unexpected, clock: systemClock };
const routes = {
  '/who': ({ isLocal }: Visit) => ({ status: 200, contentType: 'text/plain', body: isLocal ? 'local' : 'stranger' }),
  '/below/': ({ rest }: Visit) => ({ status: 200, contentType: 'text/plain', body: `below: ${rest}` }),
  '/hello': ({ query }: Visit) => ({
    status: 200,
    contentType: 'text/plain',
    body: `hello ${query.get('name')}`,
  }),
  '/broken': () => {
    throw new Error('broken');
  },
};

test('a route answers, anything else is not found, and a failure is an answer too', async () => {
  await using server = await listen('test', routes, { host, port: 0 }, quiet);
  const get = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://${host}:${server.port}${path}`, { method });
    return [answer.status, await answer.text()];
  };
  assert.deepEqual(await get('/hello?name=you'), [200, 'hello you']);
  assert.deepEqual(await get('/other'), [404, 'not found\n']);
  assert.deepEqual(await get('/hello', 'POST'), [405, 'method not allowed\n']);
  assert.deepEqual(await get('/hello', 'HEAD'), [200, '']);
  assert.deepEqual(await get('/broken'), [500, 'internal server error\n']);
  assert.deepEqual(await get('/below/a/b'), [200, 'below: a/b']);
  for (const path of ['/__proto__', '/below', '/hello/', '/']) assert.deepEqual(await get(path), [404, 'not found\n']);
});

test('an answer has its type, a HEAD has no body, and who sends nothing does not hold a connection for long', async (t) => {
  const { mock } = t.mock.method(Server.prototype, 'listen');
  await using server = await listen('test', routes, { host, port: 0 }, quiet);
  const [call] = mock.calls;
  assert.ok(call);
  const { headersTimeout, requestTimeout } = call.this as HttpServer;
  assert.deepEqual([headersTimeout, requestTimeout], [32_000, 32_000]);
  const socket = connect(server.port, host);
  socket.end('HEAD /hello?name=you HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [head = '', body] = (await text(socket)).split('\r\n\r\n');
  assert.match(head, /^content-type: text\/plain$/m);
  assert.equal(body, '');
  assert.equal((await fetch(`http://${host}:${server.port}/other`)).headers.get('content-type'), 'text/plain');
});

test('who asks from the machine itself is told from a stranger, and from one who comes through a proxy', async () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
  for (const listening of [undefined, '::', host]) {
    await using server = await listen('test', routes, { host: listening, port: 0 }, quiet);
    const who = async (from: string, headers: Record<string, string> = {}) =>
      (await fetch(`http://${from}:${server.port}/who`, { headers })).text();
    assert.equal(await who(host), 'local');
    for (const mark of ['x-forwarded-for', 'forwarded', 'via', 'x-forwarded-proto', 'x-envoy-attempt-count'])
      assert.equal(await who(host, { [mark]: 'x' }), 'stranger');
    if (process.platform === 'linux') {
      const sidecar = connect({ port: server.port, host, localAddress: '127.0.0.6' });
      sidecar.end('GET /who HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      assert.match(await text(sidecar), /stranger/);
    }
    if (own !== undefined && listening !== host) assert.equal(await who(own), 'stranger');
  }
});

test('a request that makes no sense is answered, and the server goes on', async () => {
  await using server = await listen('test', routes, { host, port: 0 }, quiet);
  const socket = connect(server.port, host);
  socket.end('GET //[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(await text(socket), /^HTTP\/1\.1 400 /);
  assert.equal((await fetch(`http://${host}:${server.port}/hello`)).status, 200);
});

/** A clock that stands still; its timers are fired by hand. */
function standing(): Clock & { readonly timers: Set<() => void> } {
  const timers = new Set<() => void>();
  return {
    timers,
    now: () => 0,
    monotonic: () => 0,
    setTimer(_, callback) {
      timers.add(callback);
      return { unref() {}, [Symbol.dispose]: () => void timers.delete(callback) };
    },
  };
}

test(
  'a certificate in files is replaced by what replaces them, for as long as the server listens',
  inTime,
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-certificate-'));
    t.after(() => rm(folder, { recursive: true }));
    const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    await writeFile(tls.certFile, certificate);
    await writeFile(tls.keyFile, key);
    const clock = standing();
    const parts = { onError: unexpected, clock };
    await using plain = await listen('test', routes, { host, port: 0 }, parts);
    assert.equal(clock.timers.size, 0, 'without files there is nothing to look at');
    await assert.rejects(listen('test', routes, { host, port: plain.port, tls }, parts), ListenError);
    assert.equal(clock.timers.size, 0, 'who does not listen looks at nothing');
    {
      await using server = await listen('test', routes, { host, port: 0, tls }, parts);
      const servedTo = async () => {
        const socket = connectTls({ host, port: server.port, rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        const { CN } = socket.getPeerCertificate().subject;
        socket.destroy();
        return CN;
      };
      assert.equal(await servedTo(), 'localhost');
      const fresh = createAuthority(systemRandom).issueServer('fresh', ['localhost']);
      await writeFile(tls.certFile, fresh.certificate);
      await writeFile(tls.keyFile, fresh.key);
      const [look] = clock.timers;
      clock.timers.clear();
      look?.();
      while (clock.timers.size === 0) await nextTurn();
      assert.equal(await servedTo(), 'fresh');
    }
    assert.equal(clock.timers.size, 0, 'nor does who listens no longer');
  },
);

test('a taken port is one sentence, or replaced by a free one where that is wanted', async () => {
  await using first = await listen('health', routes, { host, port: 0 }, quiet);
  await assert.rejects(
    listen('health', routes, { host, port: first.port }, quiet),
    (error) =>
      error instanceof ListenError &&
      error.message ===
        `The health server cannot listen on port ${first.port}: another program listens there. Choose another port.`,
  );
  await assert.rejects(listen('health', routes, { host, port: first.port, setBy: '--health-port' }, quiet), {
    name: 'ListenError',
    code: 'ERR_LISTEN',
    message: /another program listens there\. Choose another port with --health-port\.$/,
  });
  await assert.rejects(listen('health', routes, { host: '192.0.2.1', port: 1 }, quiet), {
    message: 'The health server cannot listen on port 1: EADDRNOTAVAIL. Choose another port.',
  });
  await using second = await listen('health', routes, { host, port: first.port, orFree: true }, quiet);
  assert.notEqual(second.port, first.port);
});

test('what fails after it listens is reported, and the server goes on', async (t) => {
  const { mock } = t.mock.method(Server.prototype, 'listen');
  const told: Error[] = [];
  await using server = await listen(
    'test',
    routes,
    { host, port: 0 },
    {
      onError: (error) => void told.push(error),
      clock: systemClock,
    },
  );
  const listening = mock.calls[0]?.this as Server;
  const failure = new Error('accept EMFILE');
  for (let i = 0; i < 2; i++) listening.emit('error', failure);
  assert.deepEqual(told, [failure, failure]);
  assert.equal((await fetch(`http://${host}:${server.port}/hello`)).status, 200);
});

test('probes are on port 8081 and metrics on 8080 unless a manager is told otherwise', inTime, async (t) => {
  const { listen: real } = Server.prototype;
  const ports: unknown[] = [];
  t.mock.method(Server.prototype, 'listen', function (this: Server, port: number, _: unknown, then: () => void) {
    ports.push(port);
    return real.call(this, { port: 0, host }, then);
  });
  const logger = rememberingLogger();
  const controllers = [controller({ for: ConfigMap, reconcile: async () => done })];
  const stop = new AbortController();
  t.after(() => stop.abort(new Error('the test is over'))); // also when it fails, or its server would keep the process
  const manager = createManager(operator({ name: 'web', controllers }), { transport: quietServer(), logger });
  const running = manager.start(stop.signal);
  while (!logger.lines.some(({ message }) => message === 'Starting workers')) await nextTurn();
  assert.deepEqual(ports, [8081, 8080]);
  const started = logger.lines.filter(({ message }) => message === 'starting server').map(({ fields }) => fields);
  assert.deepEqual(
    started.map(({ name }) => name),
    ['health probe', 'metrics'],
  );
  for (const { addr } of started) assert.match(String(addr), /^\[::\]:[1-9]\d*$/);
  const [, port] = /:(\d+)$/.exec(String(started[0]?.addr)) ?? [];
  const probe = await fetch(`http://${host}:${port}/healthz?verbose`);
  assert.deepEqual([probe.headers.get('content-type'), await probe.text()], ['text/plain', '[+]ping ok\nok\n']);
  stop.abort(new Error('SIGTERM'));
  await running;
});

async function text(socket: Socket): Promise<string> {
  let all = '';
  for await (const chunk of socket.setEncoding('utf8')) all += chunk;
  return all;
}
