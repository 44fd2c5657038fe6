import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { readKubeconfig } from './kubeconfig.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const pemData = Buffer.from(pem).toString('base64');

interface Parts {
  readonly name?: string;
  readonly server?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly context?: string;
  readonly rest?: string;
}

/** One file of a cluster, a user and a context that joins them. */
function file(path: string, parts: Parts) {
  const { name = 'k', server = 'https://127.0.0.1:6443', cluster = '', user = '', context = '' } = parts;
  return {
    path,
    text: `
clusters: [{ name: ${name}, cluster: { server: "${server}", ${cluster} } }]
users: [{ name: ${name}, user: { ${user} } }]
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name}, ${context} } }]
${parts.rest ?? `current-context: ${name}`}
`,
  };
}

const read = (parts: Parts, context?: string) => readKubeconfig([file('/home/me/.kube/config', parts)], context);

const refusal = (parts: Parts) =>
  read(parts).then(
    () => assert.fail('it should have been refused'),
    (error: Error) => error.message.replace('/home/me/.kube/config: ', ''),
  );

describe('a kubeconfig', () => {
  test('names the server, and the namespace or default', async () => {
    const { server, namespace, source, context } = await read({});
    assert.deepEqual([server, namespace], ['https://127.0.0.1:6443', 'default']);
    assert.equal(source, 'context "k" of /home/me/.kube/config');
    assert.equal(context, 'k');
    assert.equal((await read({ context: 'namespace: prod' })).namespace, 'prod');
  });

  test('may name each kind of credentials', async () => {
    const token = (await read({ user: 'token: abc' })).credentials;
    assert.equal(token.type === 'token' && token.token.reveal(), 'abc');
    const basic = (await read({ user: 'username: me, password: pw' })).credentials;
    assert.equal(basic.type === 'basic' && `${basic.username}:${basic.password.reveal()}`, 'me:pw');
    assert.equal((await read({})).credentials.type, 'none');
    assert.deepEqual((await read({ user: 'tokenFile: t, token: abc' })).credentials, {
      type: 'tokenFile',
      path: '/home/me/.kube/t',
    });
  });

  test('may carry certificates or name files, and data wins', async () => {
    const { tls } = await read({
      cluster: `certificate-authority-data: ${pemData}, certificate-authority: ca.crt, tls-server-name: kubernetes`,
      user: `client-certificate: /abs/c.crt, client-key: ../keys/c.key`,
    });
    assert.equal(tls.ca?.type === 'data' && tls.ca.pem.reveal(), pem);
    assert.equal(tls.serverName, 'kubernetes');
    assert.deepEqual(tls.clientCertificate, {
      certificate: { type: 'file', path: '/abs/c.crt' },
      key: { type: 'file', path: '/home/me/keys/c.key' },
    });
  });

  test('may describe an exec plugin', async () => {
    const { credentials } = await read({
      cluster: 'extensions: [{ name: client.authentication.k8s.io/exec, extension: { audience: x } }]',
      user: `exec: { apiVersion: client.authentication.k8s.io/v1, command: ./login, args: [--role, admin],
        env: [{ name: A, value: b }], installHint: install it, provideClusterInfo: true, interactiveMode: Never }`,
    });
    assert.ok(credentials.type === 'exec');
    const { args, env, ...plugin } = credentials.plugin;
    assert.deepEqual(plugin, {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: '/home/me/.kube/login',
      installHint: 'install it',
      provideClusterInfo: true,
      clusterExtension: { audience: 'x' },
      interactiveMode: 'Never',
    });
    assert.deepEqual([args.reveal(), env.reveal()], [['--role', 'admin'], { A: 'b' }]);
  });

  test('may ask to act as someone else, through a proxy, without compression', async () => {
    const config = await read({
      cluster: 'proxy-url: "http://me:pw@proxy:3128", disable-compression: true, insecure-skip-tls-verify: true',
      user: 'as: jane, as-uid: u, as-groups: [a, b], as-user-extra: { scopes: [x, y] }',
    });
    assert.deepEqual(config.impersonate, { user: 'jane', uid: 'u', groups: ['a', 'b'], extra: { scopes: ['x', 'y'] } });
    assert.equal(config.proxyUrl?.reveal(), 'http://me:pw@proxy:3128');
    assert.equal(config.disableCompression, true);
    assert.equal(config.tls.insecureSkipVerify, true);
  });

  test('may name a proxy of any kind that kubectl knows', async () => {
    for (const url of ['http://p:3128', 'https://me:pw@p', 'socks5://p:1080'])
      assert.equal((await read({ cluster: `proxy-url: "${url}"` })).proxyUrl?.reveal(), url);
  });

  test('asks no exec plugin where there is a client certificate, as kubectl does', async () => {
    const exec = 'exec: { apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: x }';
    const { tls, credentials } = await read({ user: `client-certificate: c, client-key: k, ${exec}` });
    assert.ok(tls.clientCertificate);
    assert.equal(credentials.type, 'none');
    assert.equal((await read({ user: exec })).credentials.type, 'exec');
  });

  test('may use anchors and merge keys', async () => {
    const text = `
common: &common { server: https://shared, tls-server-name: api }
clusters: [{ name: a, cluster: { <<: *common, tls-server-name: own } }]
contexts: [{ name: a, context: { cluster: a } }]
current-context: a
`;
    const { server, tls } = await readKubeconfig([{ path: '/c', text }]);
    assert.deepEqual([server, tls.serverName], ['https://shared', 'own']);
  });

  test('is JSON as well', async () => {
    const text = JSON.stringify({
      clusters: [{ name: 'j', cluster: { server: 'http://localhost:8080/' } }],
      contexts: [{ name: 'j', context: { cluster: 'j' } }],
      'current-context': 'j',
    });
    assert.equal((await readKubeconfig([{ path: '/c', text }])).server, 'http://localhost:8080');
  });
});

describe('several kubeconfigs', () => {
  const first = file('/one/config', { name: 'a', user: 'token: first, client-certificate: c, client-key: k' });
  const second = {
    path: '/two/config',
    text: `
clusters: [{ name: a, cluster: { server: https://second } }, { name: b, cluster: { server: https://b } }]
users: [{ name: a, user: { token: second } }, { name: b, user: { tokenFile: t } }]
contexts: [{ name: b, context: { cluster: b, user: b } }, { name: mixed, context: { cluster: b, user: a } }]
current-context: b
`,
  };

  test('are read as one: the first that has a name wins', async () => {
    const { server, credentials } = await readKubeconfig([first, second]);
    assert.equal(server, 'https://127.0.0.1:6443');
    assert.equal(credentials.type === 'token' && credentials.token.reveal(), 'first');
  });

  test('may complete each other, and paths start at the file that has them', async () => {
    const b = await readKubeconfig([first, second], 'b');
    assert.deepEqual([b.server, b.credentials], ['https://b', { type: 'tokenFile', path: '/two/t' }]);
    const mixed = await readKubeconfig([first, second], 'mixed');
    assert.equal(mixed.server, 'https://b');
    assert.deepEqual(mixed.tls.clientCertificate?.key, { type: 'file', path: '/one/k' });
  });

  test('take the first current-context', async () => {
    const withoutCurrent = { path: '/zero/config', text: 'current-context: ""' };
    assert.equal((await readKubeconfig([withoutCurrent, second, first])).server, 'https://b');
  });
});

describe('a bad kubeconfig names the field and the reason', () => {
  const cases: readonly [string, Parts, string][] = [
    ['no such context', { rest: 'current-context: nope' }, 'current-context: there is no context "nope"; there are: k'],
    ['no context chosen', { rest: '' }, 'current-context: no context is chosen; there are: k'],
    [
      'a server that is no URL',
      { server: '127.0.0.1' },
      'clusters[k].cluster.server: is not an http or https URL, such as https://127.0.0.1:6443',
    ],
    [
      'a user in the server',
      { server: 'https://a:b@c' },
      'clusters[k].cluster.server: must not contain a user; put it under users',
    ],
    ['a token that is a number', { user: 'token: 12345' }, 'users[k].user.token: expected a string, found a number'],
    [
      'data that is not base64',
      { user: 'client-certificate-data: "-----BEGIN"' },
      'users[k].user.client-certificate-data: is not base64',
    ],
    [
      'data that is not PEM',
      { cluster: 'certificate-authority-data: aGVsbG8=' },
      'clusters[k].cluster.certificate-authority-data: is not PEM in base64',
    ],
    [
      'a certificate without key',
      { user: `client-certificate-data: ${pemData}` },
      'users[k].user.client-key: is missing beside client-certificate',
    ],
    [
      'trust in nothing and something',
      { cluster: 'insecure-skip-tls-verify: true, certificate-authority: x' },
      'clusters[k].cluster.insecure-skip-tls-verify: contradicts certificate-authority; remove one of them',
    ],
    [
      'two kinds of credentials',
      { user: 'token: a, username: b' },
      'users[k].user.token: stands beside username and password; only one of them can be used',
    ],
    [
      'a removed auth provider',
      { user: 'auth-provider: { name: gcp }' },
      'users[k].user.auth-provider: was removed from Kubernetes; use an exec plugin in its place',
    ],
    [
      'an old exec plugin',
      { user: 'exec: { apiVersion: client.authentication.k8s.io/v1alpha1, command: x }' },
      'users[k].user.exec.apiVersion: is not client.authentication.k8s.io/v1 (or v1beta1)',
    ],
    [
      'an exec plugin without mode',
      { user: 'exec: { apiVersion: client.authentication.k8s.io/v1, command: x }' },
      'users[k].user.exec.interactiveMode: must be Never, IfAvailable or Always',
    ],
    [
      'an exec plugin without command',
      { user: 'exec: { apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never }' },
      'users[k].user.exec.command: is missing',
    ],
    [
      'groups without a user',
      { user: 'as-groups: [a]' },
      'users[k].user.as: is missing; as-uid, as-groups and as-user-extra need it',
    ],
    [
      'a proxy of an unknown kind',
      { cluster: 'proxy-url: "socks4://me:pw@x"' },
      'clusters[k].cluster.proxy-url: is not the URL of an http, https or socks5 proxy, such as http://proxy.example:3128',
    ],
    [
      'a token with a line break',
      { user: 'token: "abc\\n"' },
      'users[k].user.token: is no token: it contains a line break, a space or another character that no token has',
    ],
  ];
  for (const [what, parts, message] of cases) {
    test(what, async () => assert.equal(await refusal(parts), message));
  }

  const texts: readonly [string, string, string][] = [
    ['a list in its place', '- a\n- b', 'expected an object, found a list; is this a kubeconfig?'],
    ['a word in its place', 'hello', 'expected an object, found a string; is this a kubeconfig?'],
    ['lists that are not', 'contexts: {a: b}', 'contexts: expected a list, found an object'],
    ['entries without name', 'contexts: [{ context: {} }]', 'contexts[0].name: is missing'],
    ['a name twice', 'contexts: [{ name: a }, { name: a }]', 'contexts[a]: is there twice'],
    [
      'a context without its cluster',
      'contexts: [{ name: a, context: { cluster: c } }]\ncurrent-context: a',
      'contexts[a].context.cluster: there is no cluster "c"',
    ],
    ['an empty file', '', 'current-context: no context is chosen; there are none; is this a kubeconfig?'],
    ['a file that is nested too deeply', '['.repeat(5000), 'line 1: is not YAML (nested too deeply)'],
    [
      'aliases that multiply',
      `a: &a [x, x]\n${[...'bcdefghij'].map((name, i) => `${name}: &${name} [${`*${'abcdefghij'[i]},`.repeat(9)}]`).join('\n')}`,
      'is not YAML (its aliases lead nowhere, or multiply)',
    ],
  ];
  for (const [what, text, message] of texts) {
    test(what, async () => {
      await assert.rejects(readKubeconfig([{ path: '/c', text }]), { name: 'ConfigError', message: `/c: ${message}` });
    });
  }
});

describe('whatever a kubeconfig holds, it is a configuration or a ConfigError', () => {
  const judge = async (text: string) => {
    try {
      await readKubeconfig([{ path: '/c', text }]);
    } catch (error) {
      assert.equal((error as Error).name, 'ConfigError', inspect(error));
      assert.match((error as Error).message, /^\/c: /);
    }
  };

  test('any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => judge(Buffer.from(bytes).toString('utf8'))),
      { numRuns: 200 },
    );
  });

  test('any text that looks like YAML', async () => {
    const token = fc.constantFrom(
      ...'{}[]:-,&*!|>%@`#"\'\n\t ?~<'.split(''),
      'a',
      '&a',
      '*a',
      '<<: ',
      '- ',
      ': ',
      '!!binary ',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 40 }), (tokens) => judge(tokens.join(''))),
      { numRuns: 200 },
    );
  });

  test('any value in any place', async () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('', 'a', 'https://a', '/', true, [], {}));
    const fields = [
      ...['server', 'certificate-authority', 'certificate-authority-data', 'insecure-skip-tls-verify', 'extensions'],
      ...['tls-server-name', 'proxy-url', 'disable-compression', 'token', 'tokenFile', 'username', 'password', 'as'],
      ...[
        'client-certificate',
        'client-certificate-data',
        'client-key',
        'client-key-data',
        'as-groups',
        'as-user-extra',
      ],
      ...[
        'exec',
        'apiVersion',
        'command',
        'args',
        'env',
        'interactiveMode',
        'cluster',
        'user',
        'namespace',
        '__proto__',
      ],
    ];
    const section = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 6 });
    const good = { server: 'https://a', cluster: 'a', user: 'a', token: 'a' };
    const some = fc.oneof(
      section,
      section.map((given) => ({ ...good, ...given })),
      value,
    );
    await fc.assert(
      fc.asyncProperty(some, some, some, fc.option(value), (cluster, user, context, current) =>
        judge(
          JSON.stringify({
            clusters: [{ name: 'a', cluster }],
            users: [{ name: 'a', user }],
            contexts: [{ name: 'a', context }],
            'current-context': current ?? 'a',
          }),
        ),
      ),
      { numRuns: 300 },
    );
  });
});

describe('a hostile kubeconfig', () => {
  const many = (length: number, make: (i: number) => string) => Array.from({ length }, (_, i) => make(i)).join('');
  const table: Readonly<Record<string, (size: number) => string>> = {
    'of many keys': (size) => many(size, (i) => `k${i}: 1\n`),
    'of many keys in one line': (size) => `x: {${many(size, (i) => `k${i}: 1,`)}}`,
    'of many equal keys': (size) => many(size, () => 'k: 1\n'),
    'of many contexts': (size) => `contexts: [${many(size / 4, (i) => `{ name: c${i}, context: {} },`)}]`,
    'of comments': (size) => many(size, () => '#\n'),
    'of lines': (size) => `x: >\n${many(size, () => '  a\n\n')}`,
    'of brackets': (size) => `x: ${'['.repeat(size)}`,
    'of quotes': (size) => '"'.repeat(size),
    'of spaces': (size) => `x:${' '.repeat(size)}y`,
    'of aliases': (size) => `x: &a [1]\ny: [${'*a,'.repeat(size)}]`,
    'of merges': (size) => `x: &a { b: 1 }\ny:\n${many(size, () => '  <<: *a\n')}`,
  };
  const timeOf = async (text: string) => {
    const before = process.threadCpuUsage();
    await readKubeconfig([{ path: '/c', text }]).catch((error: Error) => assert.equal(error.name, 'ConfigError'));
    return process.threadCpuUsage(before).user / 1000;
  };

  for (const [what, make] of Object.entries(table)) {
    test(`${what} is read in a time that grows as it does`, async () => {
      await timeOf(make(1000));
      let growth = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < 3 && growth > 9; tries++) {
        const large = await timeOf(make(20_000));
        growth = large < 40 ? 1 : large / (await timeOf(make(5000)));
      }
      assert.ok(growth <= 9, `four times as much took ${growth} times as long`);
    });
  }

  test('that is larger than any is refused', async () => {
    const text = ' '.repeat(16 * 1024 * 1024 + 1);
    await assert.rejects(readKubeconfig([{ path: '/c', text }]), { message: /^\/c: is larger than 16 MiB/ });
  });
});

describe('secrets', () => {
  const secret = 'hunter2hunter2';

  test('are not in the error about a file that is not YAML', async () => {
    const text = `users:\n- name: a\n  user: { token: "${secret}\n\tbroken: [`;
    await assert.rejects(readKubeconfig([{ path: '/c', text }]), (error: Error) => {
      assert.match(error.message, /^\/c: line \d+: is not YAML \(.*\)$/);
      assert.ok(!inspect(error, { depth: 9 }).includes(secret));
      return true;
    });
  });

  test('are not in what inspect, JSON or a text show of a configuration', async () => {
    const { credentials, ...config } = await read({
      cluster: `proxy-url: "http://me:${secret}@proxy"`,
      user: `exec: { apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: x, args: [${secret}], env: [{ name: A, value: ${secret} }] }`,
    });
    const shown = [
      inspect({ config, credentials }, { depth: 9, showHidden: true }),
      JSON.stringify({ config, credentials }),
      `${credentials.type === 'exec' ? credentials.plugin.args : ''}${config.proxyUrl}`,
    ].join();
    assert.ok(!shown.includes(secret));
    assert.ok(shown.includes('[secret]'));
  });
});
