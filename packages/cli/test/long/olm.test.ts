/**
 * OLM v0 itself, as two processes beside a cluster: from the catalogue that `keelson bundle` writes it installs the Echo
 * operator, upgrades it by `replaces`, and takes it off again. On the embedded cluster and on real Kubernetes; the pods
 * are those of the simulated node.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { availability, kubectlEnvironment, peerProgram, startKubernetes } from '@keelson/tools-kubernetes';
import { runKeelson } from '../test-shell.ts';

const found = await availability();
const skip = !found.available && found.reason;
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const main = join(checkout, 'packages/cli/src/main.ts');
const port = 27_051;
const [first, second] = ['echo-operator.v0.1.0', 'echo-operator.v0.2.0'];

/** What OLM is asked for. Definitions of its own kinds lie in its module. */
const wanted = `
apiVersion: v1
kind: Namespace
metadata: { name: olm }
---
apiVersion: v1
kind: Namespace
metadata: { name: ops }
---
apiVersion: operators.coreos.com/v1
kind: OLMConfig
metadata: { name: cluster }
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: { name: ops, namespace: ops }
spec: {}
---
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: { name: ours, namespace: olm }
spec: { sourceType: grpc, address: '127.0.0.1:${port}' }
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: { name: echo, namespace: ops }
spec: { channel: stable, name: echo-operator, source: ours, sourceNamespace: olm }
`;

/** The clusters: each gives a kubeconfig with a node in it, and what ends it. */
const clusters: Readonly<
  Record<string, (folder: string) => Promise<AsyncDisposable & { readonly kubeconfig: string }>>
> = {
  async 'the embedded cluster'(folder) {
    const kubeconfig = join(folder, 'embedded');
    const cluster = spawn(process.execPath, [main, 'cluster', 'start', '--write-kubeconfig', kubeconfig]);
    await once(cluster.stdout, 'data');
    return { kubeconfig, [Symbol.asyncDispose]: () => end(cluster) };
  },
  async 'real Kubernetes'() {
    const kube = await startKubernetes();
    const { kubeconfig } = kube;
    const node = spawn(process.execPath, [
      main,
      'cluster',
      'controllers',
      '--kubeconfig',
      kubeconfig,
      '--only',
      'node',
    ]);
    return {
      kubeconfig,
      async [Symbol.asyncDispose]() {
        await end(node);
        await kube[Symbol.asyncDispose]();
      },
    };
  },
};

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

describe('OLM', { skip }, () => {
  let folder: string;
  let programs: Readonly<Record<'olm' | 'catalog' | 'opm', string>>;
  let definitions: string;
  const catalogue = () => join(folder, 'catalogue');
  const offer = async (...flags: readonly string[]) => {
    const cwd = join(folder, 'echo');
    const argv = ['bundle', '--channels', 'stable', '--catalogue', catalogue(), ...flags];
    const { code, err } = await runKeelson(argv, { cwd });
    assert.deepEqual([code, err], [0, '']);
    execFileSync(programs.opm, ['validate', catalogue()]);
  };
  before(async () => {
    programs = { olm: await peerProgram('olm'), catalog: await peerProgram('catalog'), opm: await peerProgram('opm') };
    const module = join(checkout, 'tools/kubernetes/go/olm');
    const api = ['list', '-m', '-f', '{{.Dir}}', 'github.com/operator-framework/api'];
    definitions = join(execFileSync('go', api, { cwd: module, encoding: 'utf8' }).trim(), 'crds');
    folder = await mkdtemp(join(tmpdir(), 'keelson-olm-'));
    await cp(join(checkout, 'operators/echo'), join(folder, 'echo'), { recursive: true });
    await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, startCluster] of Object.entries(clusters)) {
    test(`installs, upgrades and removes an operator on ${name}`, async () => {
      await rm(catalogue(), { recursive: true, force: true });
      await offer('--version', '0.1.0');
      await using cluster = await startCluster(folder);
      const { kubeconfig } = cluster;
      const env = await kubectlEnvironment(kubeconfig);
      const kubectl = (...args: readonly string[]) => execFileSync('kubectl', args, { env, encoding: 'utf8' });
      const until = async (what: string, isSo: () => boolean) => {
        for (const begun = systemClock.monotonic(); !isSo(); await sleep(systemClock, 1000)) {
          if (systemClock.monotonic() - begun < 10 * 60_000) continue;
          const kinds = 'clusterserviceversions,installplans,subscriptions,catalogsources';
          assert.fail(`${what}: ${kubectl('get', kinds, '-A', '-o', 'yaml').slice(-8000)}`);
        }
      };
      const phases = () =>
        kubectl(
          'get',
          'csv',
          '-n',
          'ops',
          '-o',
          'jsonpath={range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}',
        ).trim();
      const serve = () => {
        const flags = ['--cache-dir', join(folder, `cache-${systemClock.now()}`), '--cache-enforce-integrity=false'];
        const args = ['serve', catalogue(), '--port', String(port), '--pprof-addr', '127.0.0.1:0', ...flags];
        const child = spawn(programs.opm, args, { stdio: 'ignore' });
        return { [Symbol.asyncDispose]: () => end(child) };
      };

      kubectl('apply', '--server-side', '-f', definitions);
      kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
      await writeFile(join(folder, 'wanted.yaml'), wanted);
      await until('OLM is asked', () => {
        try {
          kubectl('apply', '-f', join(folder, 'wanted.yaml'));
          return true;
        } catch {
          return false; // a definition that was just made is not yet known everywhere
        }
      });
      const own = { ...env, OPERATOR_NAMESPACE: 'olm', OPERATOR_NAME: 'olm-operator' };
      const olm = spawn(programs.olm, ['--namespace', 'olm'], { env: own, stdio: 'ignore' });
      const catalog = spawn(programs.catalog, ['--kubeconfig', kubeconfig, '--namespace', 'olm'], {
        env,
        stdio: 'ignore',
      });
      try {
        {
          await using _ = serve();
          await until('it is installed', () => phases() === `${first} Succeeded`);
        }
        assert.match(
          kubectl(
            'get',
            'deployment',
            'echo-operator',
            '-n',
            'ops',
            '-o',
            'jsonpath={.spec.template.spec.containers[0].image}',
          ),
          /:0\.1\.0$/,
        );
        await offer('--version', '0.2.0', '--replaces', '0.1.0');
        await using _ = serve();
        await until('it is upgraded', () => phases() === `${second} Succeeded`);
        assert.match(
          kubectl(
            'get',
            'deployment',
            'echo-operator',
            '-n',
            'ops',
            '-o',
            'jsonpath={.spec.template.spec.containers[0].image}',
          ),
          /:0\.2\.0$/,
        );
        const may = ['auth', 'can-i', '--as', 'system:serviceaccount:ops:echo-operator'];
        assert.equal(kubectl(...may, 'create', 'jobs', '-n', 'default').trim(), 'yes');

        kubectl('delete', 'subscription', 'echo', '-n', 'ops');
        kubectl('delete', 'csv', second, '-n', 'ops');
        await until(
          'it is taken off',
          () =>
            kubectl('get', 'deployment,serviceaccount', '-n', 'ops', '-o', 'name').includes('echo-operator') === false,
        );
        assert.match(
          kubectl('get', 'crd', '-o', 'name'),
          /echos\.mmontes\.io/,
          'definitions stay, as do the objects of users',
        );
      } finally {
        await Promise.all([end(olm), end(catalog)]);
      }
    });
  }
});
