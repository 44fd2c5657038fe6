/** The image that `keelson image build` makes, in pods of a real cluster: the Memcached operator as its files deploy it. */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { availability, startKubernetes, startRegistry } from '@keelson/tools-kubernetes';
import { runKeelson } from '../test-shell.ts';

const memcached = fileURLToPath(new URL('../../../../operators/memcached', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'keelson-image-test-'));
after(() => rm(folder, { recursive: true, force: true }));

const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
const possible = await availability({ pods: true });
const skip = !possible.available && possible.reason;

test('an operator runs from its image under the limits and the security of its files', { skip }, async () => {
  const archive = join(folder, 'image.tar');
  const flags = ['--base', 'packages', '--platform', platform, '--output', 'docker-archive', '--to', archive];
  const built = await runKeelson(['image', 'build', ...flags, '--tag', 'memcached-operator:0.0.0'], {
    cwd: memcached,
    env: process.env,
  });
  assert.equal(built.code, 0, built.err);
  assert.match(built.out, /1 platform, \d+\.\d MB to pull/);

  await using kube = await startKubernetes({ pods: true });
  await kube.importImage(archive);
  const kubectl = async (...args: string[]) => {
    const { code, stdout, stderr } = await kube.kubectl(...args);
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  await kubectl('apply', '--server-side', '-f', join(memcached, 'config/manager/namespace.yaml'));
  await kubectl('label', 'namespace', 'memcached-operator-system', 'pod-security.kubernetes.io/enforce=restricted');
  await kubectl('apply', '--server-side', '-f', join(memcached, 'dist/install.yaml'));
  const inNamespace = ['--namespace', 'memcached-operator-system'];
  await kubectl(...inNamespace, 'rollout', 'status', 'deployment/memcached-operator', '--timeout=5m');
  await kubectl('apply', '-f', join(memcached, 'config/samples'));
  await kubectl('wait', 'memcached', '--all', '--for=condition=Available', '--timeout=5m');

  const restarts = ['--output', 'jsonpath={.items[*].status.containerStatuses[*].restartCount}'];
  assert.equal(await kubectl(...inNamespace, 'get', 'pods', ...restarts), '0 0');
  const logs = await kubectl(...inNamespace, 'logs', '--selector', 'app.kubernetes.io/component=manager');
  assert.match(logs, /"memcached-operator" is ready|memcached-operator/);
});

test('a registry gets an image once, and after a change of one line only what is new', { skip }, async () => {
  await using registry = await startRegistry();
  const project = join(folder, 'memcached');
  await cp(memcached, project, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
  await symlink(join(memcached, '../../node_modules'), join(folder, 'node_modules'));
  const push = async (...flags: string[]) => {
    const argv = [
      'image',
      'push',
      '--base',
      'packages',
      '--platform',
      platform,
      ...flags,
      `${registry.host}/a/memcached:1`,
    ];
    return await runKeelson(argv, { cwd: project, env: process.env });
  };
  const first = await push('--plain-http', registry.host);
  assert.match(`${first.err}${first.out}`, / 7 blobs sent, \d\d\.\d MB; 0 were there\nsha256:/);
  const again = await push('--plain-http', registry.host);
  assert.equal(again.out, first.out.replace(/7 blobs sent.*$/m, '0 blobs sent, 0 kB; 7 were there'));
  const source = join(project, 'src/reconcile.ts');
  await writeFile(source, (await readFile(source, 'utf8')).replace('Detected a drift', 'Detected drift'));
  assert.match((await push('--plain-http', registry.host)).out, / 2 blobs sent, \d{1,3} kB; 5 were there/);
  const encrypted = await push();
  assert.equal(encrypted.code, 1);
  assert.match(encrypted.err, /speaks no TLS; if that is meant, say --plain-http 127/);

  const base = await runKeelson(
    [
      'image',
      'build',
      '--plain-http',
      registry.host,
      '--base',
      `${registry.host}/a/memcached:1`,
      '--platform',
      platform,
      '--to',
      join(folder, 'oci'),
    ],
    { cwd: project, env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') } },
  );
  assert.equal(base.code, 0, base.err);
});
