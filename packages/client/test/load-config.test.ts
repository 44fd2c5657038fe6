import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { loadConfig } from '../src/index.ts';
import { alice, bob } from './certificates.ts';

let home: string;
const serviceAccountFolder = () => join(home, 'serviceaccount');
const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

const kubeconfig = (name: string, user = '') => `
clusters: [{ name: ${name}, cluster: { server: https://${name} } }]
users: [{ name: ${name}, user: { ${user} } }]
contexts: [{ name: ${name}, context: { cluster: ${name}, user: ${name} } }]
current-context: ${name}
`;

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'keelson-config-'));
  await mkdir(join(home, '.kube'));
  await mkdir(serviceAccountFolder());
  await writeFile(join(home, '.kube', 'config'), kubeconfig('home'));
  await writeFile(join(home, 'one'), kubeconfig('one'));
  await writeFile(join(home, 'two'), kubeconfig('two'));
  await writeFile(join(serviceAccountFolder(), 'token'), 'pod-token');
  await writeFile(join(serviceAccountFolder(), 'namespace'), 'operators\n');
});

after(() => rm(home, { recursive: true }));

const load = (options: Parameters<typeof loadConfig>[0], env: Record<string, string> = {}) =>
  loadConfig({ serviceAccountFolder: serviceAccountFolder(), ...options, env: { HOME: home, ...env } });

describe('the cluster is found', () => {
  test('elsewhere when the name is empty, as after --kubeconfig=', async () => {
    assert.equal((await load({ kubeconfig: '' }, { KUBECONFIG: join(home, 'two') })).server, 'https://two');
  });

  test('in the named file, before all else', async () => {
    const { server } = await load({ kubeconfig: join(home, 'one') }, { KUBECONFIG: join(home, 'two'), ...pod });
    assert.equal(server, 'https://one');
  });

  test('in KUBECONFIG, before the pod: several files are one, and missing ones are skipped', async () => {
    const KUBECONFIG = [join(home, 'missing'), join(home, 'two'), '', join(home, 'one')].join(delimiter);
    assert.equal((await load({}, { KUBECONFIG, ...pod })).server, 'https://two');
    assert.equal((await load({ context: 'one' }, { KUBECONFIG })).server, 'https://one');
  });

  test('in the pod, before the home folder', async () => {
    const config = await load({}, pod);
    assert.deepEqual(config, {
      server: 'https://10.0.0.1:443',
      namespace: 'operators',
      tls: { ca: undefined, insecureSkipVerify: false },
      credentials: { type: 'tokenFile', path: join(serviceAccountFolder(), 'token') },
      disableCompression: false,
      source: `service account in ${serviceAccountFolder()}`,
    });
    const ipv6 = await load({}, { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' });
    assert.equal(ipv6.server, 'https://[fd00::1]:443');
  });

  test('in the home folder, also in a pod that has no service account, or when a context is wanted', async () => {
    assert.equal((await load({})).server, 'https://home');
    assert.equal((await load({ serviceAccountFolder: join(home, 'nowhere') }, pod)).server, 'https://home');
    assert.equal((await load({ context: 'home' }, pod)).server, 'https://home');
  });

  test('nowhere: and what can be done is said', async () => {
    await assert.rejects(load({}, { HOME: join(home, 'nowhere') }), {
      name: 'ConfigError',
      message: `no cluster is configured: name a kubeconfig file, set KUBECONFIG, run in a pod with a service account, or create ${join(home, 'nowhere', '.kube', 'config')}`,
    });
  });
});

describe('a proxy is found', () => {
  const proxied = async (text: string, env: Record<string, string>) => {
    const file = join(home, 'proxied');
    await writeFile(file, text);
    return (await load({ kubeconfig: file }, env)).proxyUrl?.reveal();
  };
  const named = kubeconfig('api.example').replace('server:', 'proxy-url: "socks5://named", server:');

  test('in the file, before the environment', async () => {
    assert.equal(await proxied(named, { HTTPS_PROXY: 'http://other' }), 'socks5://named');
  });

  test('in the environment, unless that lets the server out', async () => {
    const plain = kubeconfig('api.example');
    assert.equal(await proxied(plain, { HTTPS_PROXY: 'http://me:pw@other' }), 'http://me:pw@other');
    assert.equal(await proxied(plain, { https_proxy: 'other:3128' }), 'http://other:3128');
    assert.equal(await proxied(plain, { HTTPS_PROXY: 'http://other', NO_PROXY: '.example' }), undefined);
    assert.equal(await proxied(plain, {}), undefined);
  });

  test('for a pod as well', async () => {
    const env = { ...pod, HTTPS_PROXY: 'http://other' };
    assert.equal((await load({}, env)).proxyUrl?.reveal(), 'http://other');
    assert.equal((await load({}, { ...env, NO_PROXY: '10.0.0.0/8' })).proxyUrl, undefined);
  });
});

describe('a file that cannot be used', () => {
  test('because it is not there', async () => {
    const file = join(home, 'missing');
    await assert.rejects(load({ kubeconfig: file }), { message: `${file}: cannot be read: there is no such file` });
    await assert.rejects(load({}, { KUBECONFIG: file }), {
      message: `KUBECONFIG names ${file}, but there is no such file`,
    });
  });

  test('because it is a folder, or may not be read', async () => {
    await assert.rejects(load({ kubeconfig: home }), { message: `${home}: cannot be read: it is a folder` });
    const secret = join(home, 'secret');
    await writeFile(secret, kubeconfig('secret'));
    await chmod(secret, 0);
    if (process.getuid?.() !== 0) {
      await assert.rejects(load({ kubeconfig: secret }), { message: `${secret}: cannot be read: permission denied` });
    }
  });

  test('because what it names is not there', async () => {
    const file = join(home, 'dangling');
    await writeFile(file, kubeconfig('dangling', 'client-certificate: c.crt, client-key: c.key'));
    await assert.rejects(load({ kubeconfig: file }), {
      message: `context "dangling" of ${file}: client-certificate: cannot read ${join(home, 'c.crt')}: there is no such file`,
    });
    await writeFile(file, kubeconfig('dangling', 'tokenFile: t'));
    await assert.rejects(load({ kubeconfig: file }), {
      message: `context "dangling" of ${file}: tokenFile: cannot read ${join(home, 't')}: there is no such file`,
    });
  });

  test('because the certificates it names are of no use', async () => {
    const file = join(home, 'broken');
    const [crt, key] = [join(home, 'bad.crt'), join(home, 'bad.key')];
    await writeFile(file, kubeconfig('broken', 'client-certificate: bad.crt, client-key: bad.key'));
    const refused = async (reason: string) =>
      assert.rejects(load({ kubeconfig: file }), {
        name: 'ConfigError',
        message: `context "broken" of ${file}: ${reason}`,
      });
    await writeFile(crt, 'hello');
    await writeFile(key, alice.key);
    await refused(`client-certificate: ${crt} holds no certificate in PEM form`);
    await writeFile(crt, bob.cert);
    await refused(`client-key: ${key} is not the key of the certificate; were the two mixed up?`);
    await writeFile(crt, alice.cert);
    assert.equal((await load({ kubeconfig: file })).server, 'https://broken');
  });

  test('because it is not a kubeconfig: any bytes are a ConfigError that names the file', async () => {
    const file = join(home, 'garbage');
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        await writeFile(file, bytes);
        await assert.rejects(load({ kubeconfig: file }), (error: Error) => {
          assert.equal(error.name, 'ConfigError');
          return error.message.startsWith(`${file}: `);
        });
      }),
      { numRuns: 100 },
    );
  });
});
