import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import { isUnauthorized, type Transport } from '@keelson/core';
import { ConfigMap } from '@keelson/core/v1';
import type { ClusterConfig, ExecPlugin, TlsConfig } from '../src/config/cluster-config.ts';
import { Secret } from '../src/config/secret.ts';
import { connect, createClient } from '../src/index.ts';
import { bytesOf } from '../src/transport/bytes.ts';
import { alice, bob, ca, expired, server as serverCertificate } from './certificates.ts';
import { ManualClock } from './manual-clock.ts';
import { configFor, data, type Script, startServer } from './scripted-server.ts';
import { until } from './until.ts';

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
    await using home = await folder();
    const path = join(home.path, 'token');
    await using server = await startServer(tellAuthorization);
    await using transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }));
    await assert.rejects(ask(transport), {
      name: 'ConfigError',
      message: `${path}: cannot be read: there is no such file`,
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

describe('a token file that holds no token', () => {
  const cases: readonly [string, string, string][] = [
    ['because it is empty', ' \n', 'is empty, and should hold a token'],
    [
      'because it holds two lines',
      'hunter2\nhunter3',
      'is no token: it contains a line break, a space or another character that no token has',
    ],
  ];
  for (const [what, text, reason] of cases) {
    test(`${what} is an error without it, and no reason to forget the last good one`, async () => {
      await using home = await folder();
      const path = join(home.path, 'token');
      await writeFile(path, text);
      await using server = await startServer(tellAuthorization);
      const clock = new ManualClock();
      await using transport = connect(configFor(server.url, { credentials: { type: 'tokenFile', path } }), { clock });
      await assert.rejects(ask(transport), { name: 'ConfigError', message: `${path}: ${reason}` });
      await clock.advance(60_000);
      await writeFile(path, 'good');
      assert.equal(await ask(transport), '200 Bearer good');
      await writeFile(path, text);
      await clock.advance(60_000);
      assert.equal(await ask(transport), '200 Bearer good');
    });
  }
});

describe('what cannot be used for TLS names the field and the reason', () => {
  const source = 'a test';
  const broken = ca.replace('MIIB', 'AAAA');
  const cases: readonly [string, Partial<TlsConfig>, string][] = [
    [
      'an authority that is none',
      { ca: data('hello') },
      'certificate-authority-data: holds no certificate in PEM form',
    ],
    ['a broken authority', { ca: data(broken) }, 'certificate-authority-data: holds a broken certificate'],
    [
      'a broken one among several',
      { ca: data(ca + broken) },
      'certificate-authority-data: holds a broken certificate, number 2 in it',
    ],
    [
      'a certificate that is none',
      { clientCertificate: { certificate: data(alice.key), key: data(alice.key) } },
      'client-certificate-data: holds no certificate in PEM form',
    ],
    [
      'a key that is none',
      { clientCertificate: { certificate: data(alice.cert), key: data(alice.cert) } },
      'client-key-data: holds no private key in PEM form',
    ],
    [
      'the key of another certificate',
      { clientCertificate: { certificate: data(alice.cert), key: data(bob.key) } },
      'client-key-data: is not the key of the certificate; were the two mixed up?',
    ],
  ];
  for (const [what, tls, message] of cases) {
    test(what, async () => {
      await using transport = connect(configFor('https://127.0.0.1:1', { tls: { insecureSkipVerify: false, ...tls } }));
      await assert.rejects(ask(transport), (error: Error) => {
        assert.deepEqual([error.name, error.message], ['ConfigError', `${source}: ${message}`]);
        assert.ok(!inspect(error, { depth: 9 }).includes('BEGIN'));
        return true;
      });
    });
  }

  test('an encrypted key', async () => {
    const { privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    });
    const clientCertificate = { certificate: data(alice.cert), key: data(privateKey) };
    await using transport = connect(
      configFor('https://127.0.0.1:1', { tls: { insecureSkipVerify: false, clientCertificate } }),
    );
    await assert.rejects(ask(transport), {
      message: 'a test: client-key-data: is encrypted; a key without a passphrase is needed',
    });
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

test('a certificate whose key has not been written yet does not replace the last good pair', async () => {
  await using home = await folder();
  const [certificate, key] = [join(home.path, 'tls.crt'), join(home.path, 'tls.key')];
  await writeFile(certificate, alice.cert);
  await writeFile(key, alice.key);
  await using server = await startServer(
    ({ incoming }, response) => {
      response.end((incoming.socket as TLSSocket).getPeerCertificate().subject.CN);
      response.once('finish', () => incoming.socket.destroy()); // so that every request makes a connection
    },
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
  await writeFile(certificate, bob.cert);
  await clock.advance(60_000);
  await until(() => server.openSockets.size === 0);
  assert.equal(await ask(transport), '200 alice');
  await writeFile(key, bob.key);
  await clock.advance(60_000);
  assert.equal(await ask(transport), '200 bob');
});

describe('a request that the server does not accept says what was sent', () => {
  const refuse: Script = (_request, response) =>
    void response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"kind":"Status","message":"Unauthorized"}');
  const secret = 'hunter2hunter2';
  const token = { type: 'token', token: new Secret(secret) } as const;
  const basic = { type: 'basic', username: 'me', password: new Secret(secret) } as const;
  const cases: readonly [string, Partial<ClusterConfig>, string][] = [
    ['nothing', {}, 'a test names no credentials'],
    ['a token', { credentials: token }, 'the token of a test was not accepted'],
    ['a password', { credentials: basic }, 'the user and password of a test was not accepted'],
  ];
  for (const [what, config, hint] of cases) {
    test(what, async () => {
      await using server = await startServer(refuse);
      await using transport = connect(configFor(server.url, config));
      await assert.rejects(createClient({ transport }).get(ConfigMap, 'x/a'), (error: Error) => {
        assert.ok(isUnauthorized(error));
        assert.equal(error.message, `get configmaps x/a: Unauthorized; ${hint}`);
        assert.ok(!inspect(error, { depth: 9 }).includes(secret));
        return true;
      });
    });
  }

  test('a token file, and an expired certificate', async () => {
    await using home = await folder();
    const path = join(home.path, 'token');
    await writeFile(path, secret);
    await using server = await startServer(refuse, serverCertificate);
    const tls = { ca: data(ca), insecureSkipVerify: false };
    await using byFile = connect(configFor(server.url, { tls, credentials: { type: 'tokenFile', path } }));
    await assert.rejects(createClient({ transport: byFile }).get(ConfigMap, 'x/a'), {
      message: `get configmaps x/a: Unauthorized; the token in ${path} was not accepted`,
    });
    const clientCertificate = { certificate: data(expired.cert), key: data(expired.key) };
    await using byCertificate = connect(configFor(server.url, { tls: { ...tls, clientCertificate } }));
    await assert.rejects(createClient({ transport: byCertificate }).get(ConfigMap, 'x/a'), {
      message:
        'get configmaps x/a: Unauthorized; the client certificate of a test was not accepted: it expired at 2020-01-02T00:00:00Z',
    });
  });
});

const credential = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1' };

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
      'has half a pair',
      JSON.stringify({ ...credential, status: { token: 't', clientKeyData: alice.key } }),
      /printed a client certificate or a key without the other$/,
    ],
    [
      'has a pair that does not fit',
      JSON.stringify({ ...credential, status: { clientCertificateData: bob.cert, clientKeyData: alice.key } }),
      /the client key that it printed is not the key of the certificate; were the two mixed up\?$/,
    ],
    [
      'has a token that is none',
      JSON.stringify({ ...credential, status: { token: 'my-token\n' } }),
      /printed a token with a line break, a space or another character that no token has$/,
    ],
    ['prints too much', 'x'.repeat(2 * 1024 * 1024), /printed more than 1 MiB$/],
    ['prints nothing to speak of', 'null', /did not print an ExecCredential$/],
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

  test('that fails is run once in a second, two, up to half a minute, and requests meanwhile fail as it did', async () => {
    await using home = await folder();
    const login = await plugin(home.path);
    await login.printText('fail:sign in first');
    await using server = await startServer(tellAuthorization);
    const clock = new ManualClock();
    await using transport = connect(configFor(server.url, { credentials: login.credentials }), { clock });
    const failing = () => assert.rejects(ask(transport), /failed with exit code 3: sign in first$/);
    let runs = 0;
    for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
      for (let i = 0; i < 5; i++) await failing();
      runs += 1;
      await clock.advance(seconds * 1000 - 1);
      await failing();
      assert.equal((await login.runs()).length, runs);
      await clock.advance(1);
    }
    await login.print({ token: 't1', expirationTimestamp: '2026-01-01T00:10:00Z' });
    assert.equal(await ask(transport), '200 Bearer t1');
    await clock.advance(10 * 60_000);
    await login.printText('fail:sign in first');
    await failing();
    await clock.advance(1000);
    await login.print({ token: 't2' });
    assert.equal(await ask(transport), '200 Bearer t2', 'after a success, the first failure waits a second again');
  });

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

  test('that cannot be started is an error without secrets', async () => {
    await using home = await folder();
    const script = join(home.path, 'script');
    await writeFile(script, '#!/bin/sh\n', { mode: 0o600 });
    const starts: readonly [Partial<ExecPlugin>, RegExp][] = [
      [{ command: script }, /may not be run; is it a program, and executable\?$/],
      [
        { args: new Secret(['my-token\0']) },
        /cannot be started: its arguments or its environment are too long, or not text$/,
      ],
      [
        { env: new Secret({ A: 'my-token\0' }) },
        /cannot be started: its arguments or its environment are too long, or not text$/,
      ],
      [
        { args: new Secret(['my-token'.repeat(1_000_000)]) },
        /cannot be started: its arguments or its environment are too long, or not text$/,
      ],
    ];
    for (const [more, message] of starts) {
      const { credentials } = await plugin(home.path, more);
      await using transport = connect(configFor('http://127.0.0.1:1', { credentials }));
      await assert.rejects(ask(transport), (error: Error) => {
        assert.equal(error.name, 'ConfigError');
        assert.match(error.message, message);
        assert.ok(!inspect(error, { depth: 9 }).includes('my-token'));
        return true;
      });
    }
  });

  test('that needs a terminal is refused', async () => {
    await using home = await folder();
    const { credentials } = await plugin(home.path, { interactiveMode: 'Always' });
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }));
    await assert.rejects(
      ask(transport),
      /wants to talk to a person \(interactiveMode: Always\), which cannot be offered here$/,
    );
  });

  test('that hangs is ended, and a request does not wait for it longer than it wants', async () => {
    await using home = await folder();
    const { credentials } = await plugin(home.path, { args: new Secret(['-e', 'setInterval(() => {}, 1000)']) });
    const clock = new ManualClock();
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }), { clock });
    const controller = new AbortController();
    const impatient = transport.request({ method: 'GET', path: '/', headers: {}, signal: controller.signal });
    const patient = assert.rejects(ask(transport), /: did not finish within 60 s$/);
    controller.abort(new Error('no time'));
    await assert.rejects(impatient, /no time/);
    await clock.advance(60_000);
    await patient;
  });

  /** A shell that waits for another program, which holds the shell's output and a connection to us while it lives. */
  async function hangingWrapper() {
    const alive = new Set<Socket>();
    let started = 0;
    const server = createServer((socket) => {
      started += 1;
      alive.add(socket);
      socket.on('error', () => {}).on('close', () => alive.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const inner = `require("node:net").connect(${port}, "127.0.0.1").on("close", () => process.exit())`;
    return {
      more: { command: '/bin/sh', args: new Secret(['-c', `'${process.execPath}' -e '${inner}' & wait`]) },
      alive,
      started: () => started,
      async [Symbol.asyncDispose]() {
        server.close();
        for (const socket of alive) socket.destroy();
      },
    };
  }

  test('that hangs behind a shell is ended with all it started, and the next request runs it anew', async () => {
    await using home = await folder();
    await using wrapper = await hangingWrapper();
    const { credentials } = await plugin(home.path, wrapper.more);
    const clock = new ManualClock();
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }), { clock });
    for (const run of [1, 2]) {
      let message = '';
      ask(transport).catch((error: Error) => {
        message = error.message;
      });
      await until(() => wrapper.started() === run);
      await clock.advance(60_000);
      await until(() => message !== '', { what: 'the request to fail' });
      assert.equal(message, 'exec plugin "/bin/sh": did not finish within 60 s');
      await until(() => wrapper.alive.size === 0, { what: 'the inner program to end' });
    }
    assert.equal(clock.timers, 0);
  });

  test('that prints too much behind a shell is ended too', async () => {
    await using home = await folder();
    await using wrapper = await hangingWrapper();
    const [flag = '', script = ''] = wrapper.more.args.reveal();
    const noise = 'process.stdout.on("error", () => {}).write("x".repeat(2e6))';
    const noisy = script.replace("' & wait", `.on("connect", () => ${noise})' & wait`);
    const { credentials } = await plugin(home.path, { ...wrapper.more, args: new Secret([flag, noisy]) });
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials }), { clock: new ManualClock() });
    let message = '';
    ask(transport).catch((error: Error) => {
      message = error.message;
    });
    await until(() => message !== '', { what: 'the request to fail' });
    assert.equal(message, 'exec plugin "/bin/sh": printed more than 1 MiB');
    await until(() => wrapper.started() === 1 && wrapper.alive.size === 0, { what: 'the inner program to end' });
  });

  test('that runs when the transport is disposed is ended, and none is started afterwards', async () => {
    await using home = await folder();
    await using wrapper = await hangingWrapper();
    const { credentials } = await plugin(home.path, wrapper.more);
    const clock = new ManualClock();
    const transport = connect(configFor('http://127.0.0.1:1', { credentials }), { clock });
    let message = '';
    ask(transport).catch((error: Error) => {
      message = error.message;
    });
    await until(() => wrapper.started() === 1);
    await transport[Symbol.asyncDispose]();
    await until(() => message !== '' && wrapper.alive.size === 0, { what: 'request and program to end' });
    assert.equal(message, 'http://127.0.0.1:1: the transport is closed');
    assert.equal(clock.timers, 0);
    const after = assert.rejects(ask(transport), { message: 'http://127.0.0.1:1: the transport is closed' });
    assert.equal(clock.timers, 0);
    await after;
  });

  test('that quotes only a part of what it was given gives no secret away', async () => {
    await using home = await folder();
    const says = `const { PAIR, PROXY_TOKEN, KUBERNETES_EXEC_INFO } = process.env;
      const { password } = JSON.parse(PAIR);
      const proxy = new URL(JSON.parse(KUBERNETES_EXEC_INFO).spec.cluster['proxy-url']);
      console.error('no login:', process.argv[1].split('=')[1], password, PROXY_TOKEN, proxy.password);
      process.exit(1);`;
    const { credentials } = await plugin(home.path, {
      args: new Secret(['-e', says, '--', '--password=hunter2hunter2']),
      env: new Secret({ PAIR: '{"user":"jane","password":"correct-horse"}' }),
      provideClusterInfo: true,
    });
    const proxyUrl = new Secret('http://jane:battery@127.0.0.1:1');
    await using transport = connect(configFor('http://127.0.0.1:1', { credentials, proxyUrl }), {
      env: { ...process.env, PROXY_TOKEN: 'staple-staple' },
    });
    await assert.rejects(ask(transport), (error: Error) => {
      assert.match(error.message, /: failed with exit code 1: .*\[secret\] \[secret\] \[secret\] \[secret\]$/);
      for (const secret of ['hunter2', 'correct', 'staple', 'battery']) {
        assert.ok(!inspect(error, { depth: 9 }).includes(secret), secret);
      }
      return true;
    });
  });
});
