/** `npm start` without a cluster: an unmodified kubectl drives what it started, by the script of the first slice. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { availability, kubectlEnvironment } from '@keelson/tools-kubernetes';
import { converged, kubectlOf, memcachedManifest, sliceTests } from '../../../operators/memcached/test/slice.ts';
import { printed, type StartProcess, start } from '../start-process.ts';

const found = await availability();
const skip = found.available ? false : `kubectl is needed: ${found.reason}`;

describe('npm start without a cluster', { skip }, () => {
  let demo: StartProcess;
  let env: Readonly<Record<string, string | undefined>>;

  before(async () => {
    // An environment that points elsewhere must not matter.
    demo = start([], { ...process.env, KUBECONFIG: fileURLToPath(new URL('./missing', import.meta.url)) });
    const [, kubeconfig = ''] = await printed(demo, /export KUBECONFIG=(\S+)/);
    env = await kubectlEnvironment(kubeconfig);
  });
  after(async () => {
    demo?.kill('SIGINT');
    assert.equal(await demo?.ended, 0, demo?.printed());
    assert.ok(!existsSync(env.KUBECONFIG ?? ''), 'the kubeconfig is gone with it');
  });
  const kubectl = (namespace = 'default') => kubectlOf({ env }, namespace);

  sliceTests(() => ({ env }));

  test('the sample becomes available, and what happens is told as it happens', async () => {
    await converged(kubectl(), 'memcached-sample', 3);
    await printed(demo, /Memcached {5}memcached-sample {2}created, size 3/);
    await printed(demo, /Deployment {4}memcached-sample {2}3\/3 ready/);
    await printed(demo, /Memcached {5}memcached-sample {2}Available=True \(AllServersReady\)/);
    assert.ok(!demo.printed().includes('\u001b'), 'no colours where there is no terminal');
  });

  test('the Echo of the samples is printed, and kubectl shows what its pod printed', async () => {
    await printed(demo, /Job {11}hello-world-1 {2}complete/);
    await printed(demo, /Echo {10}hello-world {2}Complete=True \(Printed\)/);
    assert.equal(await kubectl().ok('logs', 'job/hello-world-1'), 'Hello, world!\n');
  });

  test('an operator has the rights of its own role, and no others', async () => {
    const role = await kubectl().json<{ rules: { apiGroups: string[] }[] }>(
      'get',
      'clusterrole',
      'default:memcached-operator',
    );
    const setRules = (rules: unknown) =>
      kubectl().ok(
        'patch',
        'clusterrole',
        'default:memcached-operator',
        '--type=merge',
        '-p',
        JSON.stringify({ rules }),
      );
    await setRules(role.rules.filter(({ apiGroups }) => !apiGroups.includes('policy')));
    await kubectl().apply(memcachedManifest('unbudgeted', { size: 1 }));
    const reason = 'jsonpath={.status.conditions[?(@.type=="Degraded")].reason}';
    await kubectl().ok('wait', `--for=${reason}=Forbidden`, 'memcached/unbudgeted', '--timeout=5m');
    await setRules(role.rules);
    await converged(kubectl(), 'unbudgeted', 1);
    await kubectl().ok('delete', 'memcached', 'unbudgeted');
  });

  test('api-resources lists built-in kinds and ours', async () => {
    const resources = await kubectl().ok('api-resources');
    assert.match(resources, /^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    assert.match(resources, /^memcacheds\s+cache\.example\.com\/v1\s+true\s+Memcached$/m);
  });

  test('kubectl edit changes an object', async () => {
    const editing = kubectlOf({ env: { ...env, KUBE_EDITOR: "sed -i 's/size: 3/size: 4/'" } }, 'default');
    assert.match(await editing.ok('edit', 'memcached', 'memcached-sample'), /edited/);
    await converged(kubectl(), 'memcached-sample', 4);
    await kubectl().ok('patch', 'memcached', 'memcached-sample', '--type=merge', '-p', '{"spec":{"size":3}}');
    await converged(kubectl(), 'memcached-sample', 3);
  });

  test('get -o wide shows the columns that kubectl users know', async () => {
    assert.match(
      await kubectl().ok('get', 'pods', '-o', 'wide'),
      /^NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\s+IP\s+NODE\s+NOMINATED NODE\s+READINESS GATES\n/,
    );
    assert.match(
      await kubectl().ok('get', 'deployments', '-o', 'wide'),
      /^NAME\s+READY\s+UP-TO-DATE\s+AVAILABLE\s+AGE\s+CONTAINERS\s+IMAGES\s+SELECTOR\n/,
    );
  });

  test('a server-side apply over a field of someone else is a conflict that names both', async () => {
    const manifest = (text: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'shared', namespace: 'default' },
        data: { text },
      });
    assert.equal((await kubectl().apply(manifest('one'), '--server-side', '--field-manager=first')).code, 0);
    const { code, stderr } = await kubectl().apply(manifest('two'), '--server-side', '--field-manager=second');
    assert.equal(code, 1);
    assert.match(stderr, /Apply failed with 1 conflict: conflict with "first": \.data\.text/);
    const forced = await kubectl().apply(
      manifest('two'),
      '--server-side',
      '--field-manager=second',
      '--force-conflicts',
    );
    assert.equal(forced.code, 0, forced.stderr);
    assert.equal(await kubectl().ok('get', 'configmap', 'shared', '-o', 'jsonpath={.data.text}'), 'two');
    await kubectl().ok('delete', 'configmap', 'shared');
  });

  test('an unknown field is refused by name', async () => {
    const { code, stderr } = await kubectl().apply(memcachedManifest('typo', { sise: 3 }));
    assert.equal(code, 1);
    assert.match(stderr, /unknown field "spec\.sise"/);
  });

  test('delete --cascade=orphan leaves the pods', async () => {
    await kubectl().ok('create', 'deployment', 'orphaned', '--image=x', '--replicas=1');
    await kubectl().ok('rollout', 'status', 'deployment/orphaned', '--timeout=5m');
    await kubectl().ok('delete', 'deployment', 'orphaned', '--cascade=orphan');
    const left = await kubectl().ok('get', 'replicasets,pods', '-l', 'app=orphaned', '-o', 'name');
    assert.match(left, /replicaset\.apps\/orphaned-[\s\S]*pod\/orphaned-/);
    await kubectl().ok('delete', 'replicaset', '-l', 'app=orphaned');
  });

  test('a taken port is replaced by a free one, which is printed', async () => {
    const other = start([]);
    const [, port] = await printed(other, /starting server name="health probe" addr=127\.0\.0\.1:(\d+)/);
    assert.notEqual(port, '8081');
    other.kill('SIGTERM');
    assert.equal(await other.ended, 0, other.printed());
  });
});

describe('npm start', () => {
  test('takes another port when a stranger listens on the usual one', async () => {
    const stranger = createServer();
    await new Promise((resolve) => stranger.listen(8080, '127.0.0.1', () => resolve(undefined)).once('error', resolve));
    const demo = start([]);
    const [, port] = await printed(demo, /starting server name=metrics addr=127\.0\.0\.1:(\d+)/);
    assert.notEqual(port, '8080');
    demo.kill('SIGINT');
    assert.equal(await demo.ended, 0, demo.printed());
    await new Promise((resolve) => stranger.close(resolve));
  });
});
