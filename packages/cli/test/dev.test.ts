/** `keelson dev` as a process: restarts that keep the cluster's objects, mistakes that are told, and an end without orphans. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Client, connect, createClient, loadConfig } from '@keelson/client';
import { deadline, type Kind, sleep } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { systemClock } from '@keelson/core/system';
import { ConfigMap } from '@keelson/core/v1';
import { createProjects, websiteManifest, websiteSource } from './projects.ts';
import { runKeelson } from './test-shell.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const Website: Kind = { group: 'dev.test', version: 'v1', kind: 'Website', resource: 'websites', scope: 'Namespaced' };

interface Session {
  readonly child: ChildProcess;
  readonly printed: () => string;
  /** Waits until this was printed after what was waited for before. */
  said(words: RegExp): Promise<RegExpExecArray>;
}

function startDev(cwd: string, ...args: readonly string[]): Session {
  const child = spawn(process.execPath, [main, 'dev', ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let read = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      child.emit('said');
    });
  }
  return {
    child,
    printed: () => text,
    async said(words) {
      using limit = deadline(systemClock, 300_000, `waiting for ${words} in:\n${text}`);
      for (;;) {
        const found = words.exec(text.slice(read));
        if (found !== null) {
          read += found.index + found[0].length;
          return found;
        }
        try {
          await once(child, 'said', { signal: limit.signal });
        } catch (error) {
          throw new Error(`${words} was not said, but:\n${text}`, { cause: error });
        }
      }
    },
  };
}

/** The processes that a process started; Linux tells. */
const childrenOf = (pid: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid);
      } catch {
        return false;
      }
    })
    .map(Number);

async function textOf(client: Client, expected: string): Promise<void> {
  using limit = deadline(systemClock, 300_000, `waiting for "${expected}"`);
  for (;;) {
    const map = await client.find(ConfigMap, 'default/a', { signal: limit.signal });
    if (map?.data?.text === expected) return;
    await sleep(systemClock, 10, limit.signal);
  }
}

test('dev restarts the operator on a change, under its own role, and keeps the objects of the cluster', async (t) => {
  await using projects = await createProjects();
  const group = 'dev.test';
  await projects.write('package.json', websiteManifest);
  await projects.write('src/operator.ts', websiteSource({ group, leaderElection: true }));
  await projects.write('config/samples/a.yaml', 'apiVersion: dev.test/v1\nkind: Website\nmetadata: { name: a }\n');
  const kubeconfig = join(projects.root, 'kubeconfig');
  const dev = startDev(projects.root, '--write-kubeconfig', kubeconfig, '--samples', '--', '--log-format', 'json');
  try {
    await dev.said(/The cluster is ready: export KUBECONFIG=\S+\n/);
    await dev.said(/created {4}websites\.dev\.test \(v1\)\n/);
    await dev.said(/website runs under its own role\. Its sources are watched; Ctrl-C ends everything\.\n/);
    await dev.said(/Applied Website default\/a\n/);
    await using transport = connect(await loadConfig({ kubeconfig }));
    const client = createClient({ transport, fieldManager: 'test' });
    await textOf(client, 'first');
    const { rules } = await client.get(ClusterRole, 'website-system:website');
    assert.deepEqual(
      rules?.map(({ resources }) => resources),
      [
        ['configmaps'],
        ['deployments'],
        ['leases'],
        ['websites'],
        ['websites/finalizers'],
        ['websites/status'],
        ['events'],
      ],
    );
    const { metadata } = await client.get(Website, 'default/a');

    const saved = systemClock.monotonic();
    await projects.write(
      'src/operator.ts',
      websiteSource({
        group,
        leaderElection: true,
        text: 'second',
        fields: 'title: z.string().optional()',
        tooLarge: 5,
      }),
    );
    await dev.said(/src\/operator\.ts has changed\.\nchanged {4}websites\.dev\.test \(v1\)\n/);
    const [, ms] = await dev.said(/website runs under its own role again, after (\d+) ms\.\n/);
    await textOf(client, 'second');
    t.diagnostic(
      `restarted after ${ms} ms; its work was seen ${Math.round(systemClock.monotonic() - saved)} ms after the change`,
    );
    assert.equal((await client.get(Website, 'default/a')).metadata.uid, metadata.uid);
    const { items: leases } = await client.list(Lease);
    assert.deepEqual(
      leases.filter(({ metadata: { name } }) => name === 'website'),
      [],
    );

    // The cluster asks the operator's process.
    await assert.rejects(client.patch(Website, 'default/a', { spec: { size: 5 } }), {
      message:
        /admission webhook "validate\.website\.website" denied the request: Website\.dev\.test "a" is invalid: spec\.size: Invalid value: 5: is too large$/,
    });

    // A mistake is told, and the one from before goes on.
    await projects.write('src/operator.ts', 'export const x = ;');
    await dev.said(
      /operator\.ts cannot be loaded: SyntaxError: .*\n(.*\n)*Waiting for the next change\. The one from before goes on\.\n/,
    );
    await client.delete(ConfigMap, 'default/a');
    await textOf(client, 'second');

    await projects.write('src/operator.ts', websiteSource({ group, text: 'third' }));
    await dev.said(/website runs under its own role again, after (\d+) ms\.\n/);
    await client.patch(Website, 'default/a', { spec: { size: 5 } });

    const children = childrenOf(dev.child.pid ?? 0);
    assert.equal(children.length, 2, 'one that works, and one that stands by');
    dev.child.kill('SIGINT');
    const [code] = await once(dev.child, 'exit');
    assert.equal(code, 0, dev.printed());
    assert.deepEqual(
      children.filter((pid) => existsSync(`/proc/${pid}`)),
      [],
    );
    assert.ok(!existsSync(kubeconfig));
  } finally {
    dev.child.kill('SIGKILL');
  }
});

test('dev takes no cluster by accident, and says which flags do not go together', async () => {
  await using projects = await createProjects();
  await projects.write('package.json', websiteManifest);
  const cwd = projects.root;
  const nothing = await runKeelson(['dev'], { cwd });
  assert.match(nothing.err, /names the operator \.\/src\/operator\.ts, and there is no such file/);
  await projects.write('src/operator.ts', '');
  const both = await runKeelson(['dev', '--context', 'prod', '--port', '6443'], { cwd });
  assert.deepEqual(
    [both.code, both.err],
    [2, 'keelson dev: --port is for the cluster in this process; leave it out, or --kubeconfig and --context.\n'],
  );
  const far = await projects.write(
    'far',
    'clusters: [{ name: c, cluster: { server: "https://prod.invalid" } }]\ncontexts: [{ name: prod, context: { cluster: c } }]\ncurrent-context: prod\n',
  );
  const refused = await runKeelson(['dev', '--kubeconfig', far], { cwd });
  assert.match(
    refused.err,
    /^keelson dev: context "prod" of \S+ leads to https:\/\/prod\.invalid, which is not on this machine; name it/,
  );
});
