import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { connect, createServer, Server, type Socket } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createSecureContext } from 'node:tls';
import { ListenError, listen, type Visit } from '../src/manager/http-server.ts';
import { type CertificatePair, renewCertificate } from '../src/manager/renewed-certificate.ts';
import { certificate, key } from './certificate.ts';

const host = '127.0.0.1';
const unexpected = (error: Error) => assert.fail(error);
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
  await using server = await listen('test', routes, { host, port: 0 }, unexpected);
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
  await using server = await listen('test', routes, { host, port: 0 }, unexpected);
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
    await using server = await listen('test', routes, { host: listening, port: 0 }, unexpected);
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
  await using server = await listen('test', routes, { host, port: 0 }, unexpected);
  const socket = connect(server.port, host);
  socket.end('GET //[ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(await text(socket), /^HTTP\/1\.1 400 /);
  assert.equal((await fetch(`http://${host}:${server.port}/hello`)).status, 200);
});

test('a certificate that cannot be used is reported once, and the one before is served until a good one comes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-certificate-'));
  t.after(() => rm(folder, { recursive: true }));
  const files = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
  await writeFile(files.certFile, certificate);
  await writeFile(files.keyFile, key);
  const happened: string[] = [];
  // At once, or the file would be seen while it is empty.
  const replace = async (file: string, text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  let wake = () => {};
  const note = (what: string) => {
    happened.push(what);
    wake();
  };
  const until = async (count: number) => {
    while (happened.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  const use = (pair: CertificatePair) => {
    note('looked');
    createSecureContext(pair);
    note('used');
  };
  using _ = renewCertificate('metrics', files, use, { everyMs: 5, onError: ({ message }) => note(message) });
  // Nothing else keeps the process while files are looked at.
  const alive = createServer().listen(0, host);
  t.after(() => alive.close());
  await replace(files.certFile, 'garbage');
  await until(2);
  await replace(files.certFile, 'garbage of another length');
  await until(3);
  await replace(files.certFile, certificate);
  await until(5);
  await replace(files.keyFile, 'garbage');
  await until(7);
  const reported =
    /^The new certificate of the metrics server cannot be used: .+\. The one before is served until that is mended\.$/;
  assert.deepEqual(
    happened.map((what) => (reported.test(what) ? 'reported' : what)),
    ['looked', 'reported', 'looked', 'looked', 'used', 'looked', 'reported'],
  );
});

test('a taken port is one sentence, or replaced by a free one where that is wanted', async () => {
  await using first = await listen('health', routes, { host, port: 0 }, unexpected);
  await assert.rejects(
    listen('health', routes, { host, port: first.port }, unexpected),
    (error) =>
      error instanceof ListenError &&
      error.message ===
        `The health server cannot listen on port ${first.port}: another program listens there. Choose another port.`,
  );
  await assert.rejects(listen('health', routes, { host, port: first.port, setBy: '--health-port' }, unexpected), {
    name: 'ListenError',
    code: 'ERR_LISTEN',
    message: /another program listens there\. Choose another port with --health-port\.$/,
  });
  await assert.rejects(listen('health', routes, { host: '192.0.2.1', port: 1 }, unexpected), {
    message: 'The health server cannot listen on port 1: EADDRNOTAVAIL. Choose another port.',
  });
  await using second = await listen('health', routes, { host, port: first.port, orFree: true }, unexpected);
  assert.notEqual(second.port, first.port);
});

test('what fails after it listens is reported, and the server goes on', async (t) => {
  const { mock } = t.mock.method(Server.prototype, 'listen');
  const told: Error[] = [];
  await using server = await listen('test', routes, { host, port: 0 }, (error) => void told.push(error));
  const listening = mock.calls[0]?.this as Server;
  const failure = new Error('accept EMFILE');
  for (let i = 0; i < 2; i++) listening.emit('error', failure);
  assert.deepEqual(told, [failure, failure]);
  assert.equal((await fetch(`http://${host}:${server.port}/hello`)).status, 200);
});

async function text(socket: Socket): Promise<string> {
  let all = '';
  for await (const chunk of socket.setEncoding('utf8')) all += chunk;
  return all;
}
