/**
 * OLM v0 itself, as two processes beside a cluster: from the catalogue that `keelson bundle` writes it installs an
 * operator, upgrades it by `replaces`, and takes it off again. On the embedded cluster and on real Kubernetes with the
 * simulated node, and with pods that run and convert versions by the certificates that OLM made.
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
const possible = await availability({ pods: true });

/** What OLM is asked for. Definitions of its own kinds lie in its module. */
const wanted = (operator: string) => `
apiVersion: v1
kind: Namespace
metadata: { name: olm }
---
apiVersion: v1
kind: Namespace
metadata: { name: ops, labels: { pod-security.kubernetes.io/enforce: restricted } }
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
metadata: { name: ${operator}, namespace: ops }
spec: { channel: stable, name: ${operator}-operator, source: ours, sourceNamespace: olm }
`;

interface Cluster extends AsyncDisposable {
  readonly kubeconfig: string;
}

interface Case {
  readonly on: string;
  readonly operator: 'echo' | 'memcached';
  readonly skip: string | false;
  start(folder: string): Promise<Cluster>;
  /** What its users do while it runs. */
  use?(kubectl: (...args: readonly string[]) => string): void;
}

const cases: readonly Case[] = [
  {
    on: 'the embedded cluster',
    operator: 'echo',
    skip,
    async start(folder) {
      const kubeconfig = join(folder, 'embedded');
      const cluster = spawn(process.execPath, [main, 'cluster', 'start', '--write-kubeconfig', kubeconfig]);
      await once(cluster.stdout, 'data');
      return { kubeconfig, [Symbol.asyncDispose]: () => end(cluster) };
    },
  },
  {
    on: 'real Kubernetes',
    operator: 'echo',
    skip,
    async start() {
      const kube = await startKubernetes();
      const { kubeconfig } = kube;
      const args = ['cluster', 'controllers', '--kubeconfig', kubeconfig, '--only', 'node'];
      const node = spawn(process.execPath, [main, ...args]);
      return {
        kubeconfig,
        async [Symbol.asyncDispose]() {
          await end(node);
          await kube[Symbol.asyncDispose]();
        },
      };
    },
  },
  {
    on: 'real Kubernetes with pods',
    operator: 'memcached',
    skip: !possible.available && possible.reason,
    async start(folder) {
      const kube = await startKubernetes({ pods: true });
      for (const version of ['0.1.0', '0.2.0']) {
        const archive = join(folder, 'image.tar');
        const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
        const flags = ['--base', 'packages', '--platform', platform, '--output', 'docker-archive', '--to', archive];
        const argv = ['image', 'build', ...flags, '--tag', `memcached-operator:${version}`];
        const cwd = join(checkout, 'operators/memcached');
        const { code, err } = await runKeelson(argv, { cwd, env: process.env });
        assert.equal(code, 0, err);
        await kube.importImage(archive);
      }
      return kube;
    },
    use(kubectl) {
      const older = join(checkout, 'operators/memcached/config/samples/cache_v1alpha1_memcached.yaml');
      kubectl('apply', '-f', older);
      const newer = 'memcacheds.v1.cache.example.com/memcached-sample';
      assert.equal(kubectl('get', newer, '-o', 'jsonpath={.apiVersion}'), 'cache.example.com/v1');
      kubectl('wait', newer, '--for=condition=Available', '--timeout=300s');
    },
  },
];

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
  const offer = async (operator: string, ...flags: readonly string[]) => {
    const cwd = join(folder, operator);
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
    for (const each of ['echo', 'memcached']) {
      await cp(join(checkout, 'operators', each), join(folder, each), { recursive: true });
    }
    await symlink(join(checkout, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const { on, operator, start, use, skip } of cases) {
    test(`installs, upgrades and removes the operator of ${operator} on ${on}`, { skip }, async () => {
      const deployment = `${operator}-operator`;
      await rm(catalogue(), { recursive: true, force: true });
      await offer(operator, '--version', '0.1.0');
      await using cluster = await start(folder);
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
      const told = (what: string, path: string) => kubectl('get', what, '-n', 'ops', '-o', `jsonpath=${path}`).trim();
      const phases = () => told('csv', '{range .items[*]}{.metadata.name} {.status.phase}{"\\n"}{end}');
      const image = () => told(`deployment/${deployment}`, '{.spec.template.spec.containers[0].image}');
      const serve = () => {
        const flags = ['--cache-dir', join(folder, `cache-${systemClock.now()}`), '--cache-enforce-integrity=false'];
        const args = ['serve', catalogue(), '--port', String(port), '--pprof-addr', '127.0.0.1:0', ...flags];
        const child = spawn(programs.opm, args, { stdio: 'ignore' });
        return { [Symbol.asyncDispose]: () => end(child) };
      };

      kubectl('apply', '--server-side', '-f', definitions);
      kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=300s');
      await writeFile(join(folder, 'wanted.yaml'), wanted(operator));
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
          await until('it is installed', () => phases() === `${deployment}.v0.1.0 Succeeded`);
        }
        assert.match(image(), /:0\.1\.0$/);
        use?.(kubectl);
        await offer(operator, '--version', '0.2.0', '--replaces', '0.1.0');
        await using _ = serve();
        await until('it is upgraded', () => phases() === `${deployment}.v0.2.0 Succeeded`);
        assert.match(image(), /:0\.2\.0$/);
        const account = `system:serviceaccount:ops:${deployment}`;
        assert.match(kubectl('auth', 'can-i', '--as', account, '--list', '-n', 'default'), /events\.events\.k8s\.io/);
        use?.(kubectl);

        kubectl('delete', 'subscription', operator, '-n', 'ops');
        kubectl('delete', 'csv', `${deployment}.v0.2.0`, '-n', 'ops');
        const left = () => kubectl('get', 'deployment,serviceaccount', '-n', 'ops', '-o', 'name');
        await until('it is taken off', () => !left().includes(deployment));
        assert.match(
          kubectl('get', 'crd', '-o', 'name'),
          new RegExp(`${operator}`),
          'definitions stay, and what users made',
        );
      } finally {
        await Promise.all([end(olm), end(catalog)]);
      }
    });
  }
});
