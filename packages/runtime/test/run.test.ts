/** `run` as a process, on the embedded cluster over HTTPS: what only a process has. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient, installDefinitions } from '@keelson/client';
import { createCluster } from '@keelson/cluster';
import { deadline, sleep } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { crdOf } from '@keelson/schema';
import { documented } from './documented.ts';
import { newWidget, Widget } from './widget.ts';

const main = fileURLToPath(new URL('./forgetful-operator.ts', import.meta.url));

interface Running extends AsyncDisposable {
  readonly client: Client;
  log(): string;
  /** Sends SIGTERM and gives the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGTERM and, when it is heard, SIGINT; gives what ended the process. */
  stopTwice(): Promise<NodeJS.Signals | null>;
  seen(name: string, text: string): Promise<void>;
}

async function startForgetful(...args: readonly string[]): Promise<Running> {
  const stack = new AsyncStack();
  const cluster = stack.use(createCluster());
  const client = createClient({ transport: cluster.transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Widget)]);
  const folder = await mkdtemp(join(tmpdir(), 'keelson-run-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const door = stack.use(await cluster.listen());
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, door.kubeconfig, { mode: 0o600 });
  const fixed = ['--kubeconfig', kubeconfig, '--health-port', '0', '--metrics-port', '0', '--log-format', 'json'];
  const child = spawn(process.execPath, [main, ...fixed, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  stack.defer(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  return {
    client,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
    async stopTwice() {
      child.kill('SIGTERM');
      using limit = deadline(systemClock, 300_000, 'SIGTERM is heard');
      while (!log.includes('Shutting down')) {
        assert.ok(!limit.signal.aborted, log);
        await sleep(systemClock, 10);
      }
      child.kill('SIGINT');
      await exited;
      return child.signalCode;
    },
    async seen(name, text) {
      using limit = deadline(systemClock, 300_000, `${name} is seen as ${text}`);
      while ((await client.get(Widget, `default/${name}`)).status?.seen !== text) {
        assert.ok(child.exitCode === null && !limit.signal.aborted, log);
        await sleep(systemClock, 10);
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAll(),
  };
}

/** What was made last goes first. Node 22 has no AsyncDisposableStack. */
class AsyncStack {
  readonly #ends: (() => PromiseLike<unknown>)[] = [];
  use<T extends AsyncDisposable>(value: T): T {
    this.defer(() => value[Symbol.asyncDispose]());
    return value;
  }
  defer(end: () => PromiseLike<unknown>): void {
    this.#ends.push(end);
  }
  async disposeAll(): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await end();
  }
}

test('a promise that nobody waits for is reported, and the process goes on', async () => {
  await using running = await startForgetful();
  await running.client.create(Widget, newWidget('a', 'reject'));
  await running.seen('a', 'reject');
  await running.client.create(Widget, newWidget('b', 'fine'));
  await running.seen('b', 'fine');
  assert.equal(await running.stop(), 0, running.log());
  const lines = running
    .log()
    .split('\n')
    .filter((line) => line.includes('nobody waited for it'));
  const first = JSON.parse(running.log().split('\n')[0] ?? '{}');
  assert.deepEqual(
    [first.msg, first.operator, first.version, first.keelson, first.node, first.platform],
    ['Starting operator', 'forgetful', '1.2.3', '0.0.0', process.version, `${process.platform}/${process.arch}`],
  );
  const { level, msg, error } = JSON.parse(lines[0] ?? '{}');
  assert.deepEqual(
    [level, msg, error?.message],
    ['error', ...documented('A promise of the author'), 'nobody hears this'],
  );
});

test('--plan prints what would be written, writes nothing, and ends with 1 when a pass failed', async () => {
  const cluster = createCluster();
  const client = createClient({ transport: cluster.transport, fieldManager: 'test' });
  await installDefinitions(client, [crdOf(Widget)]);
  await using door = await cluster.listen();
  const folder = await mkdtemp(join(tmpdir(), 'keelson-run-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, door.kubeconfig, { mode: 0o600 });
  const plan = () => promisify(execFile)(process.execPath, [main, '--kubeconfig', kubeconfig, '--plan']);
  const planOfA = `Widget default/a
  ~ Widget default/a
  +   status:
  +     seen: fine
  +     observedGeneration: 1
`;
  try {
    await client.create(Widget, newWidget('a', 'fine'));
    assert.deepEqual(await plan(), { stdout: `${planOfA}1 object: 1 to change\n`, stderr: '' });
    await client.create(Widget, newWidget('b', 'throw'));
    await assert.rejects(plan(), {
      code: 1,
      stdout: `${planOfA}Widget default/b\n  ! failed: this is thrown\n2 objects: 1 to change, 1 failed\n`,
      stderr: '',
    });
    assert.equal((await client.get(Widget, 'default/a')).status, undefined);
  } finally {
    await rm(folder, { recursive: true });
    await cluster[Symbol.asyncDispose]();
  }
});

test('a port that is taken is told with the flag that chooses another', async () => {
  const taken = createServer().listen(0);
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const folder = await mkdtemp(join(tmpdir(), 'keelson-run-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const nowhere = { clusters: [{ name: 'x', cluster: { server: 'http://127.0.0.1:1' } }] };
  const contexts = [{ name: 'x', context: { cluster: 'x' } }];
  await writeFile(kubeconfig, JSON.stringify({ ...nowhere, contexts, 'current-context': 'x' }));
  try {
    for (const [which, other] of [
      ['health', 'metrics'],
      ['metrics', 'health'],
    ]) {
      const args = ['--kubeconfig', kubeconfig, `--${which}-port`, String(port), `--${other}-port`, '0'];
      const failed = promisify(execFile)(process.execPath, [main, ...args]);
      await assert.rejects(failed, {
        code: 1,
        stderr: new RegExp(
          `: The ${which} \\w*\\s?server cannot listen on port ${port}: .*other port with --${which}-port\\.\n$`,
        ),
      });
    }
  } finally {
    taken.close();
    await rm(folder, { recursive: true });
  }
});

test('a reconcile that hangs is named at the end, and does not keep the process', async () => {
  await using running = await startForgetful('--grace-period', '1');
  await running.client.create(Widget, newWidget('a', 'hang'));
  await running.seen('a', 'hanging');
  assert.equal(await running.stop(), 1);
  assert.match(
    running.log(),
    /^forgetful: One pass did not stop although the signal was aborted: widget default\/a\.$/m,
  );
});

test('a second signal ends the process at once, also when it is the other one', async () => {
  await using running = await startForgetful('--grace-period', '20');
  await running.client.create(Widget, newWidget('a', 'hang'));
  await running.seen('a', 'hanging');
  assert.equal(await running.stopTwice(), 'SIGINT', running.log());
});
