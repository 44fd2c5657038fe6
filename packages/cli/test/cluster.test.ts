/** `keelson cluster` as a process: what it prints, what it refuses, and that it leaves nothing behind. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, createClient, loadConfig } from '@keelson/client';
import { Node } from '@keelson/core/v1';
import { runKeelson } from './test-shell.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

interface Run {
  readonly child: ChildProcess;
  readonly output: () => { readonly out: string; readonly err: string };
  /** Settles with what was printed by then, when a line was printed or the process has ended. */
  readonly spoke: Promise<void>;
  readonly ended: Promise<number | null>;
}

function keelson(...args: readonly string[]): Run {
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stderr.on('data', (chunk) => {
    err += String(chunk);
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const spoke = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
      if (out.includes('\n')) resolve();
    });
    ended.then(
      () => resolve(),
      () => resolve(),
    );
  });
  return { child, output: () => ({ out, err }), spoke, ended };
}

/** In this process, since a refusal needs none of its own. */
async function refused(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runKeelson(['cluster', ...args]);
  assert.notEqual(code, 0);
  assert.equal(out, '');
  return err;
}

// What is not refused would run on.
describe('keelson cluster', { timeout: 300_000 }, () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-test-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test('start is told by a file what pods do, and refuses one that says something else', async () => {
    const rules = join(folder, 'pods.yaml');
    await writeFile(rules, '- match: { image: "bad:*" }\n  fails: OOMKilled\n');
    const run = keelson('cluster', 'start', '--pods', rules, '--images', 'web:*', 'bad:*');
    await run.spoke;
    assert.match(run.output().out, /only web:\*, bad:\* can be pulled, unless \S+pods\.yaml says otherwise\.\n$/);
    run.child.kill('SIGINT');
    assert.equal(await run.ended, 0);
    await writeFile(rules, '- match: {}\n  fails: Often\n');
    assert.match(
      await refused('start', '--pods', rules),
      /pods\.yaml does not say what pods do: pods\[0\]\.fails must be one of/,
    );
  });

  test('start says when it is ready and what its pods are, serves with the kubeconfig that it wrote, and takes it away again', async () => {
    const file = join(folder, 'started');
    const run = keelson('cluster', 'start', '--write-kubeconfig', file);
    await run.spoke;
    assert.equal(
      run.output().out,
      `The cluster is ready: export KUBECONFIG=${file}\n` +
        'Its pods are simulated: no container runs, and every image can be pulled.\n',
    );
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    {
      await using transport = connect(await loadConfig({ kubeconfig: file }));
      const node = await createClient({ transport }).get(Node, 'simulated-node');
      assert.equal(node.status.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
    }
    run.child.kill('SIGINT');
    assert.equal(await run.ended, 0);
    assert.ok(!existsSync(file));
    assert.equal(run.output().err, '');
  });

  test('without a file, the kubeconfig is in a folder of its own, which goes too', async () => {
    const run = keelson('cluster', 'start');
    await run.spoke;
    const [, file = ''] = /export KUBECONFIG=(\S+)/.exec(run.output().out) ?? [];
    assert.ok(existsSync(file), file);
    run.child.kill('SIGTERM');
    assert.equal(await run.ended, 0);
    assert.ok(!existsSync(join(file, '..')));
  });

  test('a kubeconfig of someone else is neither overwritten nor removed; one that was left behind is replaced', async () => {
    const file = join(folder, 'kubeconfig');
    await writeFile(file, 'apiVersion: v1\n');
    assert.match(
      await refused('start', '--write-kubeconfig', file),
      /exists and was not written by keelson; remove it or name another/,
    );
    assert.equal(await readFile(file, 'utf8'), 'apiVersion: v1\n');

    await rm(file);
    const killed = keelson('cluster', 'start', '--write-kubeconfig', file);
    await killed.spoke;
    killed.child.kill('SIGKILL');
    await killed.ended;
    const before = await readFile(file, 'utf8');
    const run = keelson('cluster', 'start', '--write-kubeconfig', file);
    await run.spoke;
    assert.notEqual(await readFile(file, 'utf8'), before);

    await writeFile(file, 'mine now\n');
    run.child.kill('SIGINT');
    await run.ended;
    assert.equal(await readFile(file, 'utf8'), 'mine now\n');
  });

  test('the kubeconfig of a cluster that runs is left alone, and the process that has it is named', async () => {
    const file = join(folder, 'used');
    const first = keelson('cluster', 'start', '--write-kubeconfig', file);
    await first.spoke;
    const before = await readFile(file, 'utf8');
    assert.equal(
      await refused('start', '--write-kubeconfig', file),
      `keelson cluster start: ${file} is used by another cluster, process ${first.child.pid}; ` +
        'end that one or name another file.\n',
    );
    assert.equal(await readFile(file, 'utf8'), before);

    // As if another had put its own there in the meantime.
    const others = before.replace(/(process )\d+/, '$11');
    assert.notEqual(others, before);
    await writeFile(file, others);
    first.child.kill('SIGINT');
    assert.equal(await first.ended, 0);
    assert.equal(await readFile(file, 'utf8'), others);
  });

  test('the key of the administrator goes to no link, and never through a name that others can foresee', async () => {
    const shared = join(folder, 'shared');
    await mkdir(shared);
    const [file, bait] = [join(shared, 'kubeconfig'), join(folder, 'bait')];
    await writeFile(bait, '');
    await symlink(bait, file);
    assert.match(await refused('start', '--write-kubeconfig', file), /kubeconfig cannot be used: it is a link/);
    await rm(file);
    const seen = new Set<string>();
    const watcher = watch(shared, (_, name) => seen.add(String(name)));
    const run = keelson('cluster', 'start', '--write-kubeconfig', file);
    // The name that was used before: a link in wait for it.
    await symlink(bait, `${file}.${run.child.pid}`);
    await run.spoke;
    assert.match(await readFile(file, 'utf8'), /client-key-data/);
    watcher.close();
    assert.equal(await readFile(bait, 'utf8'), '');
    assert.deepEqual(new Set(await readdir(shared)), new Set(['kubeconfig', `kubeconfig.${run.child.pid}`]));
    const others = [...seen].filter((name) => !name.startsWith('kubeconfig'));
    assert.ok(others.length > 0 && others.every((name) => /^\.kubeconfig\.[0-9a-f-]{36}$/.test(name)), String(others));
    run.child.kill('SIGTERM');
    assert.equal(await run.ended, 0);
  });

  test('a target that is no regular file is refused at once', async () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    assert.match(await refused('start', '--write-kubeconfig', fifo), /fifo cannot be used: it is not a regular file/);
    assert.match(
      await refused('start', '--write-kubeconfig', folder),
      /cannot be used: it is (a folder|not a regular)/,
    );
    assert.match(await refused('start', '--write-kubeconfig', '/dev/null'), /cannot be used: it is not a regular file/);
  });

  test('what cannot be done is said in one sentence', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { readonly port: number };
    assert.match(
      await refused('start', '--port', String(port)),
      new RegExp(`^keelson cluster start: port ${port} is taken`),
    );
    server.close();
    assert.match(await refused('start', '--port', 'high'), /must be a number from 1 to 65535/);
    assert.match(await refused('start', '--write-kubeconfig', join(folder, 'no', 'file')), /there is no folder/);
    assert.match(await refused('controllers'), /--kubeconfig <file>' not specified/);
    assert.match(await refused('controllers', '--kubeconfig', join(folder, 'none')), /there is no such file/);
    assert.match(
      await refused('controllers', '--kubeconfig', join(folder, 'none'), '--only', 'node', 'nodes'),
      /there is no controller nodes; there are: deployment, .*, node\.\n$/,
    );
  });

  test('controllers work on another API server, and only those that were named', async () => {
    const file = join(folder, 'other');
    const cluster = keelson('cluster', 'start', '--write-kubeconfig', file);
    await cluster.spoke;
    const run = keelson('cluster', 'controllers', '--kubeconfig', file, '--only', 'serviceaccount', 'namespace');
    await run.spoke;
    assert.match(run.output().out, /^Working on https:\/\/127\.0\.0\.1:\d+: serviceaccount, namespace\n$/);
    run.child.kill('SIGINT');
    assert.equal(await run.ended, 0);
    cluster.child.kill('SIGINT');
    assert.equal(await cluster.ended, 0);
  });
});
