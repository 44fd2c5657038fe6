/**
 * Our secrets in other people's mouths: whatever a server or a proxy says back to us, wherever it says it, no error, no
 * warning and nothing that can be printed of them holds a part of a secret of this configuration.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import { type Transport, TransportError } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import { type ClusterConfig, connect, createClient, createInformer, Secret } from '../src/index.ts';
import { alice, ca } from './certificates.ts';
import { runInformer } from './run-informer.ts';
import { configFor, data, type Script, startServer } from './scripted-server.ts';
import { until } from './until.ts';

const token = 'eyJhbGciOiJSUzI1NiIsImtpZCI6Ik1hIn0.eyJzdWIiOiJzeXN0ZW06c2VydmljZSJ9.c2lnbmF0dXJl';
const password = 'Correct-Horse/Battery';
const key = alice.key.replace(/-----[^-\n]*-----/g, '').trim();

/** What of us a proxy has seen, or somebody who looked over our shoulder. */
const configurations: Readonly<Record<string, { readonly secret: string; readonly more: Partial<ClusterConfig> }>> = {
  'a token': { secret: token, more: { credentials: { type: 'token', token: new Secret(token) } } },
  'a password': {
    secret: password,
    more: { credentials: { type: 'basic', username: 'me', password: new Secret(password) } },
  },
  'the key of a client certificate': {
    secret: key,
    more: {
      tls: {
        ca: data(ca),
        insecureSkipVerify: false,
        clientCertificate: { certificate: data(alice.cert), key: data(alice.key) },
      },
    },
  },
};

/** How it is written. */
const forms: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in small letters': (secret) => secret.toLowerCase(),
  'in base64': (secret) => Buffer.from(`me:${secret}`).toString('base64'),
  'in an address': (secret) => encodeURIComponent(secret),
  'cut in the middle': (secret) => secret.slice(0, Math.ceil(secret.length * 0.7)),
};

const json = { 'content-type': 'application/json' };
const status = (more: object) => JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, ...more });

/** Where it stands. */
const places: Readonly<Record<string, (said: string) => Script>> = {
  'the page of a proxy': (said) => (_, response) =>
    void response
      .writeHead(502, { 'content-type': 'text/html' })
      .end(`<h1>Bad Gateway</h1><pre>GET / HTTP/1.1\nAuthorization: Bearer ${said}</pre>`),
  'the end of what is quoted': (said) => (_, response) => void response.writeHead(502).end(`${'x'.repeat(285)}${said}`),
  'the end of what is read': (said) => (_, response) =>
    void response.writeHead(502).end(`${' '.repeat(16 * 1024 - 20)}${said}`),
  'a page in place of an object': (said) => (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end(said),
  'the type of a page': (said) => (_, response) =>
    void response.writeHead(200, { 'content-type': `text/${said.replace(/[^\w-]/g, '')}` }).end('x'),
  'a message': (said) => (_, response) => void response.writeHead(403, json).end(status({ message: said })),
  'a reason': (said) => (_, response) => void response.writeHead(403, json).end(status({ reason: said })),
  'the details': (said) => (_, response) =>
    void response
      .writeHead(403, json)
      .end(status({ details: { name: said, [said]: [{ a: said }], causes: [{ message: said, field: said }] } })),
  'a warning': (said) => (_, response) =>
    void response
      .writeHead(200, { ...json, warning: `299 - "you sent ${said.replaceAll('\n', '')}"` })
      .end('{"metadata":{}}'),
  'an encoding': (said) => (_, response) =>
    void response.writeHead(200, { 'content-encoding': said.replace(/[^\w-]/g, '') }).end('x'),
  'what is no HTTP': (said) => (request) => void request.incoming.socket.end(`You sent ${said}, did you?\r\n\r\n`),
  'a header that is none': (said) => (request) =>
    void request.incoming.socket.end(`HTTP/1.1 200 OK\r\n${said}\u0001: x\r\n\r\n`),
};

describe('no part of a secret is in what can be printed of a failure', () => {
  for (const [what, { secret, more }] of Object.entries(configurations)) {
    for (const [form, write] of Object.entries(forms)) {
      test(`${what}, ${form}`, async () => {
        for (const [place, script] of Object.entries(places)) {
          await using server = await startServer(script(write(secret)));
          await using transport = connect(configFor(server.url, more));
          const heard: unknown[] = [];
          const client = createClient({ transport, onWarning: (text) => heard.push(text), timeoutMs: 5000 });
          // A write, since a failed read would be tried again after a while.
          const written = client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } });
          await written.catch((error: unknown) => heard.push(error));
          assert.notEqual(heard.length, 0, place);
          assertHidden(heard, [secret, write(secret)], place);
        }
      });
    }
  }

  test('in the events of a watch, and in the health of an informer', async () => {
    for (const line of [
      { type: 'ERROR', object: { kind: 'Status', code: 500, message: `you sent ${token}` } },
      { type: token, object: {} },
      { type: 'ERROR', object: { [token]: token, details: { causes: token } } },
    ]) {
      await using server = await startServer((_, response) => {
        response.writeHead(200, json).end(`${JSON.stringify(line)}\n`);
      });
      const credentials = { type: 'token', token: new Secret(token) } as const;
      await using transport = connect(configFor(server.url, { credentials }));
      const errors: Error[] = [];
      const informer = createInformer(createClient({ transport }), ConfigMap, {
        onError: (error) => errors.push(error),
      });
      await using _ = runInformer(informer);
      await until(() => errors.length > 0 && informer.health.lastError !== undefined);
      assertHidden([errors, informer.health], [token], line.type);
    }
  });

  test('in what a proxy says when it refuses a tunnel', async () => {
    const pair = Buffer.from(`me:${password}`).toString('base64');
    const alone = Buffer.from(`${password}:`).toString('base64');
    for (const [said, user] of [
      [password, 'me:'],
      [pair, 'me:'],
      [`${encodeURIComponent(password)}@`, 'me:'],
      [alone, ''],
      [password, ''],
    ] as const) {
      const proxy = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(`HTTP/1.1 502 you sent ${said}\r\n\r\n`));
      }).listen(0, '127.0.0.1');
      proxy.unref();
      await once(proxy, 'listening');
      const { port } = proxy.address() as AddressInfo;
      const proxyUrl = new Secret(`http://${user}${encodeURIComponent(password)}@127.0.0.1:${port}`);
      await using transport = connect(configFor('https://127.0.0.1:1', { proxyUrl }));
      const error = await failureOf(transport);
      assert.match(error.message, /502 you sent \[secret\]/);
      assertHidden([error], [password, pair, alone], said);
      proxy.close();
    }
  });

  test('of headers of our own, however their names are written, and of others beside them that change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-secrets-'));
    const path = join(folder, 'token');
    await writeFile(path, token);
    await using server = await startServer(({ headers }, response) => {
      response.writeHead(500).end(`you sent ${headers['x-auth']}, ${headers.cookie} and ${headers.authorization}`);
    });
    const transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }));
    let sent = 0;
    const headers = () => ({ 'X-Auth': password, Cookie: `session=${key.slice(0, 60)}`, 'X-Retry-Key': `n-${sent++}` });
    const client = createClient({ transport, headers });
    for (let i = 0; i < 10; i++) {
      const error = await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }).catch((e: Error) => e);
      assertHidden([error], [password, key.slice(0, 60), token], `request ${i}`);
    }
    await transport[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test('of a token that was replaced a moment ago', async () => {
    await using server = await startServer(({ headers }, response) => {
      const earlier = (server.requests.at(-2) ?? server.requests.at(-1))?.headers.authorization;
      response.writeHead(500).end(`you sent ${headers.authorization}, and before ${earlier}`);
    });
    let printed = 0;
    const program = `console.log(JSON.stringify({apiVersion:'client.authentication.k8s.io/v1',kind:'ExecCredential',status:{token:'secret-token-number-'+process.hrtime.bigint(),expirationTimestamp:'2000-01-01T00:00:00Z'}}))`;
    const plugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: new Secret(['-e', program]),
      env: new Secret({}),
      provideClusterInfo: false,
      interactiveMode: 'Never',
    } as const;
    await using transport = connect(configFor(server.url, { credentials: { type: 'exec', plugin } }));
    const client = createClient({ transport });
    for (; printed < 2; printed++) {
      const error = await client.create(ConfigMap, { metadata: { name: 'a', namespace: 'x' } }).catch((e: Error) => e);
      assertHidden([error], ['secret-token-number-'], 'the page');
    }
    assert.notEqual(server.requests[0]?.headers.authorization, server.requests[1]?.headers.authorization);
  });
});

async function failureOf(transport: Transport): Promise<Error> {
  const answer = transport.request({ method: 'GET', path: '/', headers: {} });
  return answer.then(
    () => assert.fail('it should have failed'),
    (error: unknown) => (error instanceof TransportError ? error : assert.fail(String(error))),
  );
}

/** Fourteen characters in a row are a part of a secret; fewer are none of a long one. */
function assertHidden(heard: readonly unknown[], secrets: readonly string[], where: string): void {
  const all = `${inspect(heard, { depth: 20, showHidden: true, maxStringLength: null })}${JSON.stringify(heard)}`;
  const text = `${all}${heard.map(String).join('')}`.toLowerCase();
  for (const secret of secrets) {
    for (let at = 0; at + 14 <= secret.length; at++) {
      const part = secret.slice(at, at + 14).toLowerCase();
      if (/^[\w+/=.-]+$/.test(part)) assert.ok(!text.includes(part), `${where}: ${part} is in ${text.slice(0, 2000)}`);
    }
  }
}
