/** Ways to a real API server and to be somebody there, and what bad input looks like to whoever gave it. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { inspect } from 'node:util';
import { isForbidden, isNotFound, isServerError, isUnauthorized, type Kind, type Transport } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Deployment } from '@keelson/core/apps/v1';
import { SelfSubjectReview } from '@keelson/core/authentication/v1';
import { ConfigMap, Pod, ServiceAccount } from '@keelson/core/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import {
  type Client,
  type ClusterConfig,
  type ConnectOptions,
  connect,
  createClient,
  createDiscovery,
  type ExecPlugin,
  loadConfig,
  requestToken,
  Secret,
} from '../../src/index.ts';
import { otherCa, server as ownCertificate } from '../certificates.ts';
import { ManualClock } from '../manual-clock.ts';
import { startConnectProxy, startSocksProxy } from '../proxies.ts';
import { startServer } from '../scripted-server.ts';
import { until } from '../until.ts';

const available = await availability({ pods: false });
const only = { skip: available.available ? false : available.reason };

describe('a real API server', only, () => {
  let kube: Kubernetes;
  let config: ClusterConfig;
  let transport: Transport;
  let client: Client;
  let folder: string;

  before(async () => {
    kube = await startKubernetes();
    folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-'));
    config = await loadConfig({ kubeconfig: kube.kubeconfig });
    transport = connect(config);
    client = createClient({ transport, fieldManager: 'test' });
    for (const name of ['robot', 'other']) {
      await client.create(ServiceAccount, { metadata: { name, namespace: 'default' } });
    }
  });

  after(async () => {
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
    if (folder) await rm(folder, { recursive: true });
  });

  /** Who the server takes us for. */
  async function who(by: Transport) {
    const { status } = await createClient({ transport: by }).create(SelfSubjectReview, {});
    return status?.userInfo ?? {};
  }

  async function whoWith(other: Partial<ClusterConfig>, options?: ConnectOptions) {
    await using by = connect({ ...config, ...other }, options);
    return await who(by);
  }

  const withoutCertificate = () => ({ ...config.tls, clientCertificate: undefined });

  const tokenOf = async (name: string) => (await requestToken(client, `default/${name}`)).token.reveal();

  const pemOf = (material: { type: 'data'; pem: Secret } | { type: 'file'; path: string } | undefined) =>
    material?.type === 'data' ? material.pem.reveal() : readFile(material?.path ?? '', 'utf8');

  describe('knows us', () => {
    test('by a client certificate, and by the next one when its files are replaced', async () => {
      const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
      const become = async (user: string) => {
        const { clientCertificate } = (await loadConfig({ kubeconfig: await kube.kubeconfigFor({ user }) })).tls;
        await writeFile(certificate, await pemOf(clientCertificate?.certificate));
        await writeFile(key, await pemOf(clientCertificate?.key));
      };
      await become('alice');
      const clock = new ManualClock();
      const clientCertificate = {
        certificate: { type: 'file', path: certificate },
        key: { type: 'file', path: key },
      } as const;
      await using rotated = connect({ ...config, tls: { ...config.tls, clientCertificate } }, { clock });
      assert.equal((await who(rotated)).username, 'alice');
      await become('bob');
      assert.equal((await who(rotated)).username, 'alice');
      await clock.advance(60_000);
      assert.equal((await who(rotated)).username, 'bob');
    });

    test('by the service account of a pod, and by its next token', async () => {
      const account = join(folder, 'serviceaccount');
      await mkdir(account);
      await writeFile(join(account, 'ca.crt'), await pemOf(config.tls.ca));
      await writeFile(join(account, 'namespace'), 'default');
      await writeFile(join(account, 'token'), await tokenOf('robot'));
      const { hostname, port } = new URL(kube.server);
      const inPod = await loadConfig({
        env: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
        serviceAccountFolder: account,
      });
      const clock = new ManualClock();
      await using byToken = connect(inPod, { clock });
      assert.equal((await who(byToken)).username, 'system:serviceaccount:default:robot');
      await writeFile(join(account, 'token'), await tokenOf('other'));
      await clock.advance(60_000);
      assert.equal((await who(byToken)).username, 'system:serviceaccount:default:other');
    });

    test('by an exec plugin, run once for many, and again when its token is refused', async () => {
      const [program, answer, runs] = [join(folder, 'login.cjs'), join(folder, 'answer'), join(folder, 'runs')];
      await writeFile(
        program,
        `const { appendFileSync, readFileSync } = require('node:fs');
         appendFileSync(${JSON.stringify(runs)}, process.env.KUBERNETES_EXEC_INFO + '\\n');
         process.stdout.write(readFileSync(${JSON.stringify(answer)}));`,
      );
      const print = (token: string) =>
        writeFile(
          answer,
          JSON.stringify({
            kind: 'ExecCredential',
            apiVersion: 'client.authentication.k8s.io/v1',
            status: { token },
          }),
        );
      const plugin: ExecPlugin = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: new Secret([program]),
        env: new Secret({}),
        provideClusterInfo: true,
        interactiveMode: 'Never',
      };
      await print('stale');
      const clock = new ManualClock();
      const credentials = { type: 'exec', plugin } as const;
      await using byPlugin = connect({ ...config, tls: withoutCertificate(), credentials }, { clock });
      await assert.rejects(who(byPlugin), (error: Error) => {
        assert.ok(isUnauthorized(error));
        assert.match(error.message, /Unauthorized; the credentials that ".*node" printed were not accepted$/);
        return true;
      });
      await print(await tokenOf('robot'));
      await clock.advance(10_000);
      const all = await Promise.all(Array.from({ length: 10 }, () => who(byPlugin)));
      assert.deepEqual(new Set(all.map(({ username }) => username)), new Set(['system:serviceaccount:default:robot']));
      const told = (await readFile(runs, 'utf8')).trim().split('\n');
      assert.equal(told.length, 2);
      const { server, 'certificate-authority-data': authority } = JSON.parse(told[0] ?? '').spec.cluster;
      assert.equal(server, config.server);
      assert.equal(Buffer.from(authority, 'base64').toString(), await pemOf(config.tls.ca));
    });

    test('as someone else, in every respect', async () => {
      const impersonate = {
        user: 'jürgen 🚢',
        uid: 'u-1',
        groups: ['größe', 'b'],
        extra: { 'example.com/scopes': ['x', 'ß'], "odd(key)'s": ['z'] },
      };
      const { username, uid, groups, extra } = await whoWith({ impersonate });
      assert.deepEqual([username, uid], [impersonate.user, impersonate.uid]);
      assert.deepEqual(groups, ['größe', 'b', 'system:authenticated']);
      assert.deepEqual(extra, impersonate.extra);
    });

    test('by two files that kubectl would also read as one', async () => {
      const [first, second] = [join(folder, 'first'), join(folder, 'second')];
      await writeFile(join(folder, 'ca.crt'), await pemOf(config.tls.ca));
      await writeFile(join(folder, 'robot.token'), await tokenOf('robot'));
      await writeFile(
        first,
        `
contexts: [{ name: mine, context: { cluster: real, user: robot, namespace: kube-system } }]
clusters: [{ name: real, cluster: { server: "${kube.server}", certificate-authority: ca.crt } }]
`,
      );
      await writeFile(
        second,
        `
users: [{ name: robot, user: { tokenFile: robot.token } }]
clusters: [{ name: real, cluster: { server: "https://127.0.0.1:1" } }]
current-context: mine
`,
      );
      const KUBECONFIG = [first, join(folder, 'missing'), second].join(delimiter);
      const merged = await loadConfig({ env: { KUBECONFIG } });
      assert.equal(merged.namespace, 'kube-system');
      await using byFiles = connect(merged);
      assert.equal((await who(byFiles)).username, 'system:serviceaccount:default:robot');
    });
  });

  describe('is reached', () => {
    test('through proxies of every kind, for requests and watches', async () => {
      await using connectProxy = await startConnectProxy(kube.server);
      await using secureProxy = await startConnectProxy(kube.server, { tls: ownCertificate });
      await using socksProxy = await startSocksProxy(kube.server, { account: 'me:pw' });
      const urls = [`http://${connectProxy.host}`, `https://${secureProxy.host}`, `socks5://me:pw@${socksProxy.host}`];
      for (const url of urls) {
        // The proxy's certificate is known to nobody here; the server's is checked by its name all the same.
        const insecureSkipVerify = url.startsWith('https');
        const tls = { ...config.tls, ...(insecureSkipVerify ? { ca: undefined, insecureSkipVerify } : {}) };
        await using proxied = connect({ ...config, tls, proxyUrl: new Secret(url) });
        const through = createClient({ transport: proxied });
        await through.list(Pod);
        const name = `seen-through-${new URL(url).protocol.slice(0, -1)}`;
        const { resourceVersion } = await through.list(ConfigMap, { namespace: 'default' });
        await client.create(ConfigMap, { metadata: { name, namespace: 'default' } });
        for await (const event of through.watch(ConfigMap, { namespace: 'default', resourceVersion })) {
          if (event.type === 'ADDED' && event.object.metadata.name === name) break;
        }
      }
      for (const { asked } of [connectProxy, secureProxy, socksProxy])
        assert.equal(asked.length, 1, 'one tunnel, kept');
    });

    test('under another name, if its certificate has it', async () => {
      const named = (serverName: string) => whoWith({ tls: { ...config.tls, serverName } });
      assert.ok((await named('kubernetes.default')).username);
      await assert.rejects(named('elsewhere.example'), {
        name: 'TransportError',
        message: `create selfsubjectreviews.authentication.k8s.io: ${config.server}: its certificate is for another host; is the address right, or tls-server-name missing?`,
      });
    });

    test('without a look at its certificate, when told', async () => {
      assert.ok((await whoWith({ tls: { ...config.tls, ca: undefined, insecureSkipVerify: true } })).username);
    });

    test('with answers that are packed, and that say the same', async () => {
      const data = { text: 'ü🚢'.repeat(50_000) };
      const created = await client.create(ConfigMap, { metadata: { name: 'packed', namespace: 'default' }, data });
      await using packed = connect(config, { compression: true });
      assert.deepEqual(await createClient({ transport: packed }).get(ConfigMap, 'default/packed'), created);
      const encodingOf = async (by: Transport) => {
        const request = { method: 'GET', path: '/api/v1/namespaces/default/configmaps/packed', headers: {} } as const;
        const { headers, body } = await by.request(request);
        for await (const _ of body);
        return headers['content-encoding'];
      };
      assert.equal(await encodingOf(packed), 'gzip');
      assert.equal(await encodingOf(transport), undefined);
      await using never = connect({ ...config, disableCompression: true }, { compression: true });
      assert.equal(await encodingOf(never), undefined);
    });
  });

  describe('gets to know kinds by name', () => {
    const gadgets = { group: 'example.com', version: 'v1', kind: 'Gadget' };

    test('also one that was defined a moment ago, and without a restart', async () => {
      await assert.rejects(client.get(gadgets, 'a'), (error: Error) => isNotFound(error));
      await client.create(CustomResourceDefinition, {
        metadata: { name: 'gizmos.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Cluster',
          names: { plural: 'gizmos', kind: 'Gadget', listKind: 'GadgetList' }, // a plural that nobody would guess
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            },
          ],
        },
      });
      const made = { metadata: { name: 'a' }, spec: { size: 1, deep: [{ unknown: true }] } };
      await until(async () => {
        try {
          await client.create(gadgets, made);
          return true;
        } catch (error) {
          if (isNotFound(error)) return false; // not served yet
          throw error;
        }
      });
      const read = (await client.get(gadgets, 'a')) as unknown as typeof made & { kind: string };
      assert.deepEqual([read.kind, read.spec], ['Gadget', made.spec]);
      await client.patch(gadgets, 'a', { spec: { size: 2 } });
      const { items } = await client.list(gadgets);
      assert.deepEqual(
        items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
        [['example.com/v1', 'Gadget', 'a']],
      );
      await client.deleteCollection(gadgets);
      assert.equal(await client.find(gadgets, 'a'), undefined);
    });

    test('and a group whose own server is away hides no other', async () => {
      await kube.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: v1.silent.example }
spec:
  group: silent.example
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 10
  insecureSkipTLSVerify: true
  service: { name: nothing, namespace: default }
`);
      await until(async () => JSON.stringify(await client.getRaw('/apis')).includes('silent.example'));
      const older = { ...client, getRaw: (path: string) => client.getRaw(path) } as Client;
      for (const discovery of [createDiscovery(client), createDiscovery(older)]) {
        assert.equal((await discovery.find({ group: 'apps', kind: 'Deployment' }))?.resource, 'deployments');
        assert.equal(await discovery.find({ group: 'nowhere.example', kind: 'Thing' }), undefined);
        // Each of the two forms learns in its own time that there is a group, and that nobody answers for it.
        const silent = () => discovery.find({ group: 'silent.example', kind: 'Thing' });
        await until(() => silent().then(() => false, isServerError), { what: 'an error of the silent group' });
      }
      await kube.kubectl('delete', 'apiservice', 'v1.silent.example');
    });
  });

  describe('and bad input', () => {
    /** The failure of a call: of our family, in time, and without secrets. */
    async function failure(call: Promise<unknown>, secrets: readonly string[] = []): Promise<Error> {
      const error = await call.then(
        () => assert.fail('it should have failed'),
        (reason: Error) => reason,
      );
      assert.match(error.name, /^(ApiError|TransportError|ConfigError)$/);
      for (const secret of secrets) assert.ok(!inspect(error, { depth: 9 }).includes(secret));
      return error;
    }

    test('an authority that did not sign the server’s certificate', async () => {
      const ca = { type: 'data', pem: new Secret(otherCa) } as const;
      const { message } = await failure(whoWith({ tls: { ...config.tls, ca } }));
      assert.match(message, /: its certificate comes from an unknown authority; is certificate-authority right\?$/);
    });

    test('a token that nobody issued (401)', async () => {
      const secret = 'hunter2hunter2';
      const credentials = { type: 'token', token: new Secret(secret) } as const;
      const error = await failure(whoWith({ tls: withoutCertificate(), credentials }), [secret]);
      assert.ok(isUnauthorized(error));
      assert.match(error.message, /: Unauthorized; the token of context "keelson" of .*kubeconfig was not accepted$/);
    });

    test('somebody without rights (403): what is missing is named', async () => {
      await using restricted = connect(await loadConfig({ kubeconfig: await kube.kubeconfigFor({ user: 'nobody' }) }));
      const nobody = createClient({ transport: restricted, fieldManager: 'nobody' });
      const web = { metadata: { name: 'web', namespace: 'default' } };
      const cases: readonly [() => Promise<unknown>, string][] = [
        [
          () => nobody.list(Pod, { namespace: 'default' }),
          'list pods in default: pods is forbidden: User "nobody" cannot list resource "pods" in API group "" in the namespace "default"',
        ],
        [
          () => nobody.applySubresource(Deployment, 'status', web as never),
          'apply deployments.apps/status default/web: deployments.apps "web" is forbidden: User "nobody" cannot patch resource "deployments/status" in API group "apps" in the namespace "default"',
        ],
        [
          () => nobody.watch(Pod)[Symbol.asyncIterator]().next(),
          'watch pods in all namespaces: pods is forbidden: User "nobody" cannot watch resource "pods" in API group "" at the cluster scope',
        ],
      ];
      for (const [call, message] of cases) {
        const error = await failure(call());
        assert.ok(isForbidden(error));
        assert.equal(error.message, message);
      }
    });

    test('a page of HTML in place of an answer', async () => {
      await using portal = await startServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please sign in</html>');
      }, ownCertificate);
      await using proxy = await startConnectProxy(portal.url); // one that leads elsewhere
      const proxyUrl = new Secret(`http://me:hunter2hunter2@${proxy.host}`);
      const tls = { ...config.tls, ca: undefined, insecureSkipVerify: true };
      const { message } = await failure(whoWith({ tls, proxyUrl }), ['hunter2hunter2']);
      assert.equal(
        message,
        "create selfsubjectreviews.authentication.k8s.io: the answer is not JSON (text/html): <html>Please sign in</html>; does a proxy answer in the server's place?",
      );
    });

    test('an object of 3 MiB', async () => {
      const large = { metadata: { name: 'large', namespace: 'default' }, data: { a: 'x'.repeat(3 * 1024 * 1024) } };
      for (const write of [() => client.create(ConfigMap, large), () => client.apply(ConfigMap, large)]) {
        const { message } = await failure(write());
        assert.match(message, /^(create|apply) configmaps default\/large: Request entity too large: limit is 3145728$/);
      }
      // The connection that was cut short is not used again.
      assert.ok(await client.list(ConfigMap, { namespace: 'default' }));
    });

    test('a kind and a key that the server does not have', async () => {
      const nones: Kind = { group: 'example.com', version: 'v9', kind: 'None', resource: 'nones', scope: 'Cluster' };
      const { message } = await failure(client.get(nones, 'a'));
      assert.match(message, /^get nones\.example\.com a: .* is its CustomResourceDefinition installed\?$/);
    });
  });
});
