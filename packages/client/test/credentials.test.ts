import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import type { Transport } from '@keelson/core';
import { bytesOf } from '../src/client/answer.ts';
import type { ExecPlugin } from '../src/config/cluster-config.ts';
import { Secret } from '../src/config/secret.ts';
import { connect } from '../src/index.ts';
import { alice, bob, ca, server as serverCertificate } from './certificates.ts';
import { ManualClock } from './manual-clock.ts';
import { configFor, data, type Script, startServer } from './scripted-server.ts';

const ask = async (transport: Transport): Promise<string> => {
  const { status, body } = await transport.request({ method: 'GET', path: '/', headers: {} });
  return `${status} ${await bytesOf(body)}`;
};

const tellAuthorization: Script = ({ headers }, response) => void response.end(headers.authorization);

/** Accepts one token and no other. */
const demand =
  (token: () => string): Script =>
  ({ headers }, response) =>
    void response.writeHead(headers.authorization === `Bearer ${token()}` ? 200 : 401).end(headers.authorization);

async function folder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'keelson-client-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

describe('a token file', () => {
  test('is read again after a minute, and at once when the server refuses its token', async () => {
    await using home = await folder();
    const path = join(home.path, 'token');
    await writeFile(path, 'first\n');
    await using server = await startServer(tellAuthorization);
    const clock = new ManualClock();
    await using transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }), { clock });
    assert.equal(await ask(transport), '200 Bearer first');
    await writeFile(path, 'second\n');
    assert.equal(await ask(transport), '200 Bearer first');
    await clock.advance(60_000);
    assert.equal(await ask(transport), '200 Bearer second');

    await writeFile(path, 'third\n');
    server.script = demand(() => 'third');
    assert.equal(await ask(transport), '200 Bearer third');
    assert.equal(server.requests.length, 5);
  });

  test('that disappears serves on with its last content', async () => {
    await using home = await folder();
    const path = join(home.path, 'token');
    await writeFile(path, 'first');
    await using server = await startServer(tellAuthorization);
    const clock = new ManualClock();
    await using transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }), { clock });
    await ask(transport);
    await rm(path);
    await clock.advance(60_000);
    assert.equal(await ask(transport), '200 Bearer first');
  });

  test('that was never there is an error that names it', async () => {
    await using server = await startServer(tellAuthorization);
    const credentials = { type: 'tokenFile', path: '/nowhere/token' } as const;
    await using transport = connect(configFor(server.url, { credentials }));
    await assert.rejects(ask(transport), {
      name: 'ConfigError',
      message: '/nowhere/token: cannot be read: there is no such file',
    });
  });

  test('whose token is refused for good is tried twice, not for ever', async () => {
    await using home = await folder();
    const path = join(home.path, 'token');
    await writeFile(path, 'wrong');
    await using server = await startServer(demand(() => 'right'));
    await using transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }));
    assert.equal(await ask(transport), '401 Bearer wrong');
    assert.equal(server.requests.length, 2);
  });
});

test('client certificates are read again when their files change, and the next request shows the new one', async () => {
  await using home = await folder();
  const [certificate, key] = [join(home.path, 'tls.crt'), join(home.path, 'tls.key')];
  const write = async (identity: typeof alice) => {
    await writeFile(certificate, identity.cert);
    await writeFile(key, identity.key);
  };
  await write(alice);
  await using server = await startServer(
    ({ incoming }, response) => response.end((incoming.socket as TLSSocket).getPeerCertificate().subject.CN),
    { ...serverCertificate, ca, requestCert: true, rejectUnauthorized: true },
  );
  const clock = new ManualClock();
  const tls = {
    ca: data(ca),
    insecureSkipVerify: false,
    clientCertificate: { certificate: { type: 'file', path: certificate }, key: { type: 'file', path: key } },
  } as const;
  await using transport = connect(configFor(server.url, { tls }), { clock });
  assert.equal(await ask(transport), '200 alice');
  await write(bob);
  assert.equal(await ask(transport), '200 alice');
  await clock.advance(60_000);
  assert.equal(await ask(transport), '200 bob');
});

describe('an exec plugin', () => {
  /** A program that notes each run with what it was told, and prints what `answer` holds. */
  async function plugin(path: string, more: Partial<ExecPlugin> = {}) {
    const program = join(path, 'plugin.js');
    const runs = join(path, 'runs');
    const answer = join(path, 'answer');
    await writeFile(
      program,
      `const { appendFileSync, readFileSync } = require('node:fs');
       appendFileSync(${JSON.stringify(runs)}, JSON.stringify({ info: process.env.KUBERNETES_EXEC_INFO, own: process.env.OWN, args: process.argv.slice(2) }) + '\\n');
       const text = readFileSync(${JSON.stringify(answer)}, 'utf8');
       if (text.startsWith('fail:')) { console.error(text.slice(5)); process.exit(3); }
       process.stdout.write(text);`,
    );
    const configured: ExecPlugin = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: new Secret([program, '--secret-argument']),
      env: new Secret({ OWN: 'secret-variable' }),
      provideClusterInfo: false,
      interactiveMode: 'IfAvailable',
      ...more,
    };
    return {
      credentials: { type: 'exec', plugin: configured } as const,
      print: (status: object) =>
        writeFile(
          answer,
          JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status }),
        ),
      printText: (text: string) => writeFile(answer, text),
      runs: async () => {
        const text = await readFile(runs, 'utf8').catch(() => '');
        return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Record<string, unknown>]));
      },
    };
  }

  test('runs once for many requests at the same time', async () => {
    await using home = await folder();
    const login = await plugin(home.path);
    await login.print({ token: 't1' });
    await using server = await startServer(tellAuthorization);
    await using transport = connect(configFor(server.url, { credentials: login.credentials }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(transport)));
    assert.deepEqual(new Set(answers), new Set(['200 Bearer t1']));
    assert.equal(await ask(transport), '200 Bearer t1');
    const [run, ...more] = await login.runs();
    assert.deepEqual(more, []);
    assert.deepEqual(run, {
      info: '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}}',
      own: 'secret-variable',
      args: ['--secret-argument'],
    });
  });

  test('runs again when its token expires', async () => {
    await using home = await folder();
    const login = await plugin(home.path);
    await login.print({ token: 't1', expirationTimestamp: '2026-01-01T00:10:00Z' });
    await using server = await startServer(tellAuthorization);
    const clock = new ManualClock();
    await using transport = connect(configFor(server.url, { credentials: login.credentials }), { clock });
    await ask(transport);
    await login.print({ token: 't2' });
    await clock.advance(9 * 60_000);
    assert.equal(await ask(transport), '200 Bearer t1');
    await clock.advance(60_000);
    assert.equal(await ask(transport), '200 Bearer t2');
    assert.equal((await login.runs()).length, 2);
  });

  test('runs again when the server refuses its token, but not for one that it has just given', async () => {
    await using home = await folder();
    const login = await plugin(home.path);
    await login.print({ token: 't1' });
    await using server = await startServer(demand(() => 't2'));
    const clock = new ManualClock();
    await using transport = connect(configFor(server.url, { credentials: login.credentials }), { clock });
    assert.equal(await ask(transport), '401 Bearer t1');
    assert.equal((await login.runs()).length, 1);
    await login.print({ token: 't2' });
    await clock.advance(10_000);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(transport)));
    assert.deepEqual(new Set(answers), new Set(['200 Bearer t2']));
    assert.equal((await login.runs()).length, 2);
  });

  test('may give a client certificate', async () => {
    await using home = await folder();
    const login = await plugin(home.path);
    await login.print({ clientCertificateData: alice.cert, clientKeyData: alice.key });
    await using server = await startServer(
      ({ incoming }, response) => response.end((incoming.socket as TLSSocket).getPeerCertificate().subject.CN),
      { ...serverCertificate, ca, requestCert: true, rejectUnauthorized: true },
    );
    const tls = { ca: data(ca), insecureSkipVerify: false };
    await using transport = connect(configFor(server.url, { tls, credentials: login.credentials }));
    assert.equal(await ask(transport), '200 alice');
  });

  test('is told about the cluster if it wants to know', async () => {
    await using home = await folder();
    const login = await plugin(home.path, { provideClusterInfo: true, clusterExtension: { audience: 'x' } });
    await login.print({ token: 't1' });
    await using server = await startServer(tellAuthorization, serverCertificate);
    const tls = { ca: data(ca), insecureSkipVerify: false, serverName: 'api.example' };
    await using transport = connect(configFor(server.url, { tls, credentials: login.credentials }));
    await ask(transport);
    const [run] = await login.runs();
    assert.deepEqual(JSON.parse(String(run?.info)).spec.cluster, {
      server: server.url,
      'tls-server-name': 'api.example',
      'certificate-authority-data': Buffer.from(ca).toString('base64'),
      config: { audience: 'x' },
    });
  });

  const failures: readonly [string, string, RegExp][] = [
    [
      'fails',
      'fail:sign in first: --secret-argument secret-variable',
      /failed with exit code 3: sign in first: \[secret\] \[secret\]$/,
    ],
    ['prints no JSON', 'my-token', /printed something that is not JSON$/],
    ['prints something else', '{"kind":"Pod"}', /did not print an ExecCredential$/],
    [
      'answers in another version',
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"}',
      /another apiVersion than client\.authentication\.k8s\.io\/v1$/,
    ],
    [
      'has no credentials',
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{}}',
      /neither a token nor a client certificate with its key$/,
    ],
    [
      'has a strange expiry',
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t","expirationTimestamp":"soon"}}',
      /an expirationTimestamp that is not a time$/,
    ],
  ];
  for (const [what, text, message] of failures) {
    test(`that ${what} is an error without secrets`, async () => {
      await using home = await folder();
      const login = await plugin(home.path);
      await login.printText(text);
      await using transport = connect(configFor('http://127.0.0.1:1', { credentials: login.credentials }));
      await assert.rejects(ask(transport), (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, message);
        for (const secret of ['secret-argument', 'secret-variable', 'my-token'])
          assert.ok(!inspect(error).includes(secret));
        return true;
      });
    });
  }

  test('that is not installed says how to get it', async () => {
    await using home = await folder();
    const { credentials } = await plugin(home.path, {
      command: 'keelson-no-such-program',
      installHint: 'get it from the shop',
    });
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }));
    await assert.rejects(ask(transport), {
      message: 'exec plugin "keelson-no-such-program": there is no such program; get it from the shop',
    });
  });

  test('that needs a terminal is refused', async () => {
    await using home = await folder();
    const { credentials } = await plugin(home.path, { interactiveMode: 'Always' });
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }));
    await assert.rejects(ask(transport), /needs a terminal, and there is none/);
  });

  test('that hangs is ended, and a request does not wait for it longer than it wants', async () => {
    await using home = await folder();
    const { credentials } = await plugin(home.path, { args: new Secret(['-e', 'setInterval(() => {}, 1000)']) });
    const clock = new ManualClock();
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }), { clock });
    const controller = new AbortController();
    const impatient = transport.request({ method: 'GET', path: '/', headers: {}, signal: controller.signal });
    const patient = assert.rejects(ask(transport), /was ended by SIGKILL/);
    controller.abort(new Error('no time'));
    await assert.rejects(impatient, /no time/);
    await clock.advance(60_000);
    await patient;
  });
});
