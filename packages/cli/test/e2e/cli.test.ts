/** install, doctor, run, plan and uninstall on a real Kubernetes. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { deadline, type Kind, microTimestamp, sleep } from '@keelson/core';
import { CustomResourceDefinition } from '@keelson/core/apiextensions/v1';
import { Job } from '@keelson/core/batch/v1';
import { Lease } from '@keelson/core/coordination/v1';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { availability, startKubernetes } from '@keelson/tools-kubernetes';
import { createProjects, websiteManifest, websiteSource } from '../projects.ts';
import { runKeelson } from '../test-shell.ts';

const available = await availability();
const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const echo = fileURLToPath(new URL('../../../../operators/echo/src/operator.ts', import.meta.url));
const group = 'cli.example.com';
const name = `websites.${group}`;
const kindOf = (of: string, kind: string, resource: string, version = 'v1'): Kind => ({
  group: of,
  version,
  kind,
  resource,
  scope: 'Namespaced',
});
const Website = kindOf(group, 'Website', 'websites');
const Echo = kindOf('mmontes.io', 'Echo', 'echos', 'v1alpha1');

interface Program {
  readonly child: ChildProcess;
  readonly printed: () => string;
  stop(): Promise<number | null>;
}

function startProgram(cwd: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Program {
  const child = spawn(process.execPath, [main, ...argv], { cwd, env: { ...process.env, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const exited = once(child, 'close');
  return {
    child,
    printed: () => text,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  using limit = deadline(systemClock, 300_000, what);
  while (!(await isTrue())) await sleep(systemClock, 50, limit.signal);
}

const objectNamed = (client: Client, kind: Kind, object: string, spec: object = {}) =>
  client.create(kind, { metadata: { name: object, namespace: 'default' }, spec });

test('an operator is installed, examined, planned, run and uninstalled', {
  skip: !available.available && available.reason,
}, async () => {
  await using kube = await startKubernetes({ controllers: ['garbage-collector-controller'] });
  await using projects = await createProjects();
  const { root: cwd } = projects;
  await projects.write('package.json', websiteManifest);
  await projects.write('src/operator.ts', websiteSource({ group }));
  const { kubeconfig } = kube;
  const run = (line: string) => runKeelson([...line.split(' '), '--kubeconfig', kubeconfig], { cwd });
  await using transport = connect(await loadConfig({ kubeconfig }));
  const client = createClient({ transport, fieldManager: 'test' });

  assert.match((await run('doctor')).out, /^failed {3}definition {4}websites\.cli\.example\.com is not installed\n/m);
  assert.deepEqual(await run('install'), { code: 0, out: `created    ${name} (v1)\n`, err: '' });
  assert.deepEqual(await run('install'), { code: 0, out: `unchanged  ${name} (v1)\n`, err: '' });
  const healthy = await run('doctor');
  assert.equal(healthy.code, 0, healthy.out);
  assert.match(healthy.out, /^ok {7}version {7}Kubernetes v1\.\d+/m);
  assert.equal(healthy.out.match(/^ok {7}certificate /gm)?.length, 3, healthy.out);

  await objectNamed(client, Website, 'a');
  const plan = startProgram(cwd, ['plan', '--kubeconfig', kubeconfig]);
  await once(plan.child, 'close');
  assert.equal(plan.child.exitCode, 0, plan.printed());
  assert.match(plan.printed(), /ConfigMap/);
  assert.equal(await client.find(ConfigMap, 'default/a'), undefined);

  const flags = ['--', '--health-port', '0', '--metrics-port', '0'];
  const running = startProgram(cwd, ['run', '--kubeconfig', kubeconfig, ...flags]);
  try {
    await until('the ConfigMap', async () => (await client.find(ConfigMap, 'default/a'))?.data?.text === 'first');
    assert.equal(await running.stop(), 0, running.printed());
  } finally {
    running.child.kill('SIGKILL');
  }

  // A leader that was killed has left its Lease, and dev does not wait for the end of it.
  await projects.write('src/operator.ts', websiteSource({ group, leaderElection: true, text: 'developed' }));
  const claimed = {
    holderIdentity: 'killed',
    leaseDurationSeconds: 3600,
    renewTime: microTimestamp(systemClock.now()),
  };
  await client.create(Lease, { metadata: { name: 'website', namespace: 'default' }, spec: claimed });
  const dev = startProgram(cwd, ['dev', '--kubeconfig', kubeconfig]);
  try {
    await until('the other text', async () => (await client.get(ConfigMap, 'default/a')).data?.text === 'developed');
    assert.equal(await dev.stop(), 0, dev.printed());
  } finally {
    dev.child.kill('SIGKILL');
  }

  const refused = await run('uninstall');
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(
    refused.err,
    /1 object on https:\S+ would be deleted .* \(websites\.cli\.example\.com: default\/a\); say --yes/,
  );
  assert.deepEqual(await run('uninstall --yes'), { code: 0, out: `deleted  ${name} with 1 object\n`, err: '' });
  assert.equal(await client.find(CustomResourceDefinition, name), undefined);

  // One on the client alone, by its own program and a context that is named.
  const { stdout } = await kube.kubectl('config', 'current-context');
  const context = stdout.trim();
  const there = ['--operator', echo, '--kubeconfig', kubeconfig, '--context', context];
  assert.equal((await runKeelson(['install', ...there])).code, 0);
  const program = startProgram(cwd, ['run', ...there], { HEALTH_PORT: '0', METRICS_ENABLED: 'false' });
  try {
    await objectNamed(client, Echo, 'hello', { message: 'hello' });
    await until('the Job', async () => (await client.list(Job, { namespace: 'default' })).items.length === 1);
    assert.equal(await program.stop(), 0, program.printed());
  } finally {
    program.child.kill('SIGKILL');
  }
  assert.equal((await runKeelson(['uninstall', '--yes', ...there])).code, 0);
});
