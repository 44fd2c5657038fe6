/** The files that `keelson generate` made for our two operators, on a real Kubernetes. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { deadline, sleep, type Transport } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { Pod } from '@keelson/core/v1';
import { availability, type Kubernetes, startKubernetes } from '@keelson/tools-kubernetes';
import { monitoringDefinitions } from '../monitoring-definitions.ts';
import { createProjects, websiteManifest, websiteSource } from '../projects.ts';
import { runKeelson } from '../test-shell.ts';

const available = await availability();
const skip = available.available ? false : available.reason;
const folderOf = (operator: string) => fileURLToPath(new URL(`../../../../operators/${operator}/`, import.meta.url));

/** The files that kubectl takes one by one, by their paths in the operator's folder; of samples those that need no conversion, since no operator runs here. */
async function manifestsBelow(folder: string): Promise<readonly string[]> {
  const within = async (part: string) =>
    (await readdir(join(folder, part), { recursive: true })).map((file) => join(part, file));
  const files = [...(await within('config')), ...(await within('dist'))];
  const converted = folder === folderOf('memcached') ? '_v1alpha1_' : 'none';
  const others = ['kustomization.yaml', 'config/bundle.yaml'];
  return files.filter(
    (file) => file.endsWith('.yaml') && !file.includes(converted) && !others.some((other) => file.endsWith(other)),
  );
}

/** What becomes of a Deployment, and of a namespace with all that is in it. */
const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'namespace-controller',
  'garbage-collector-controller',
];

describe('generated files on a real Kubernetes', { skip, concurrency: 2 }, () => {
  let kube: Kubernetes;
  let transport: Transport;
  let client: Client;

  before(async () => {
    kube = await startKubernetes({ controllers });
    transport = connect(await loadConfig({ kubeconfig: kube.kubeconfig }));
    client = createClient({ transport, fieldManager: 'test' });
    for (const definition of monitoringDefinitions) await kube.apply(JSON.stringify(definition));
    await served(...monitoringDefinitions.map(({ metadata }) => metadata.name));
  });
  after(async () => {
    await transport?.[Symbol.asyncDispose]();
    await kube?.[Symbol.asyncDispose]();
  });

  /** Succeeds without a warning, and gives the lines that were printed, sorted. */
  async function kubectl(...args: string[]): Promise<readonly string[]> {
    const { code, stdout, stderr } = await kube.kubectl(...args);
    assert.deepEqual([code, stderr], [0, ''], stdout);
    return stdout.trim().split('\n').sort();
  }

  /** Waits until kubectl finds these kinds: that comes some time after their definitions were taken. */
  async function served(...definitions: readonly string[]): Promise<void> {
    const names = definitions.map((name) => `crd/${name}`);
    await kubectl('wait', '--for=condition=Established', ...names, '--timeout=5m');
    using limit = deadline(systemClock, 300_000, `${definitions} to be served`);
    while ((await kube.kubectl('get', definitions.join())).code !== 0) await sleep(systemClock, 50, limit.signal);
  }

  /** The two pods of a manager, which nothing schedules here: that they exist is what admission said. */
  async function admittedPods(name: string): Promise<readonly Pod[]> {
    using limit = deadline(systemClock, 300_000, `the pods of ${name}`);
    for (;;) {
      const { items } = await client.list(Pod, { namespace: `${name}-system` });
      if (items.length === 2) return items;
      await sleep(systemClock, 50, limit.signal);
    }
  }

  for (const operator of ['memcached', 'echo']) {
    test(`config/default and dist/install.yaml of ${operator} install the same, in a namespace that is restricted`, async () => {
      const folder = folderOf(operator);
      const name = `${operator}-operator`;
      const kustomization = ['-k', join(folder, 'config/default')];
      const installFile = ['-f', join(folder, 'dist/install.yaml')];

      const byKustomization = await kubectl('apply', '--server-side', ...kustomization);
      assert.ok(byKustomization.includes(`deployment.apps/${name} serverside-applied`), byKustomization.join('\n'));
      for (const { status } of await admittedPods(name)) assert.equal(status?.phase, 'Pending');
      const account = JSON.stringify({ spec: { serviceAccountName: name } });
      const pod = ['run', 'root', '--image=busybox', '--privileged', `--overrides=${account}`];
      const privileged = await kube.kubectl(...pod, '-n', `${name}-system`);
      assert.match(privileged.stderr, /forbidden: violates PodSecurity "restricted:/);

      const manifests = await manifestsBelow(folder);
      for (const part of ['config/samples/', 'config/prometheus/', 'config/crd/bases/', 'dist/'])
        assert.ok(
          manifests.some((file) => file.startsWith(part)),
          part,
        );
      const definitions = (await readdir(join(folder, 'config/crd/bases'))).map(
        (file) => `${/_(\w+)\.yaml$/.exec(file)?.[1]}.${/^[^_]+/.exec(file)?.[0]}`,
      );
      await served(...definitions);
      const each = manifests.flatMap((file) => ['-f', join(folder, file)]);
      const tried = await kubectl('apply', '--server-side', '--dry-run=server', '--validate=strict', ...each);
      assert.ok(tried.length >= manifests.length, tried.join('\n'));

      await kubectl('delete', ...kustomization);
      assert.deepEqual(await kubectl('apply', '--server-side', ...installFile), byKustomization);
      await admittedPods(name);
    });
  }

  test('a definition beyond what an annotation holds is installed by keelson and by server-side apply', async () => {
    await using projects = await createProjects();
    const { root: cwd } = projects;
    const group = 'large.example.com';
    const field = (i: number) => `f${i}: z.string().optional().describe('${'what it is for '.repeat(100)}')`;
    const fields = Array.from({ length: 200 }, (_, i) => field(i)).join(', ');
    await projects.write('package.json', websiteManifest);
    await projects.write('src/operator.ts', websiteSource({ group, fields }));
    assert.equal((await runKeelson(['generate'], { cwd })).code, 0);
    const file = join(cwd, `config/crd/bases/${group}_websites.yaml`);
    assert.ok((await readFile(file, 'utf8')).length > 262_144);

    const clientSide = await kube.kubectl('apply', '-f', file);
    assert.match(clientSide.stderr, /metadata\.annotations: Too long: may not be more than 262144 bytes/);
    const created = `created    websites.${group} (v1)\n`;
    const install = ['install', '--kubeconfig', kube.kubeconfig];
    assert.deepEqual(await runKeelson(install, { cwd }), { code: 0, out: created, err: '' });
    await kubectl('delete', 'crd', `websites.${group}`);
    await kubectl('apply', '--server-side', '-f', file);
    await kubectl('wait', '--for=condition=Established', `crd/websites.${group}`, '--timeout=5m');
  });
});
