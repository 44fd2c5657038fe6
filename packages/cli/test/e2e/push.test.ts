/** Pushes to a real registry that do not get to their end, and a disk that is full: the next call finishes. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { availability, type ImageRegistry, peerProgram, startRegistry } from '@keelson/tools-kubernetes';
import { runKeelson } from '../test-shell.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const cwd = fileURLToPath(new URL('../../../../operators/memcached', import.meta.url));
const platform = process.arch === 'arm64' ? 'linux/arm64' : 'linux/amd64';
const execute = promisify(execFile);
const possible = await availability({ pods: true });

/** Into the layer with Node, which has more than forty. */
const middle = 20_000_000;

/** Stands before the registry, and is told how much a connection has sent so far. */
async function startProxy(registry: string) {
  const sockets = new Set<Socket>();
  const proxy = { host: '', onSent: (_bytes: number, _socket: Socket) => {} };
  const server = createServer((socket) => {
    const [host = '', port] = registry.split(':');
    const behind = connect(Number(port), host);
    let bytes = 0;
    socket.on('data', (piece) => {
      bytes += piece.length;
      proxy.onSent(bytes, socket);
    });
    socket.pipe(behind).pipe(socket);
    for (const [one, other] of [
      [socket, behind],
      [behind, socket],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {}); // told by whoever lost the connection
      one.on('close', () => other.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(proxy, {
    [Symbol.asyncDispose]: async () => {
      for (const each of sockets) each.destroy(); // one that stays open keeps the process from its end
      server.close();
      await once(server, 'close');
    },
  });
}

describe('a real registry', { skip: !possible.available && possible.reason }, () => {
  let folder: string;
  let registry: ImageRegistry;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-push-'));
    registry = await startRegistry();
    proxy = await startProxy(registry.host);
  });
  after(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await registry?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const argv = (repository: string) => {
    const base = ['--base', 'packages', '--platform', platform, '--plain-http', proxy.host];
    return ['image', 'push', ...base, `${proxy.host}/${repository}:1`];
  };
  const isTagged = async (repository: string) =>
    (await fetch(`http://${registry.host}/v2/${repository}/manifests/1`, { method: 'HEAD' })).ok;
  const finish = async (repository: string) => {
    proxy.onSent = () => {};
    const { code, out, err } = await runKeelson([...argv(repository), '--output', 'json'], { cwd, env: process.env });
    assert.equal(code, 0, err);
    assert.ok(JSON.parse(out).known >= 1, 'what had arrived is not sent again');
    const image = `${registry.host}/${repository}:1`;
    const crane = await execute(await peerProgram('crane'), ['validate', '--remote', image]);
    assert.match(crane.stderr + crane.stdout, /PASS: /);
  };

  test('a connection that is cut in the middle of a blob leaves no tag, and the next push finishes', async () => {
    proxy.onSent = (bytes, socket) => void (bytes > middle && socket.destroy());
    const { code, err } = await runKeelson(argv('cut'), { cwd, env: process.env });
    assert.equal(code, 1);
    assert.match(
      err,
      /^keelson image push: the connection to the registry \S+ broke \([^;]+\); call again: .* is kept\.$/m,
    );
    assert.equal(await isTagged('cut'), false);
    await finish('cut');
  });

  test('a process that is killed in the middle of a blob leaves no tag, and the next push finishes', async () => {
    const child = spawn(process.execPath, [main, ...argv('killed')], { cwd, stdio: 'ignore' });
    proxy.onSent = (bytes, socket) => {
      if (bytes <= middle) return;
      socket.pause(); // so that no more of it can come
      child.kill('SIGKILL');
    };
    const [, signal] = await once(child, 'exit');
    assert.equal(signal, 'SIGKILL');
    assert.equal(await isTagged('killed'), false);
    await finish('killed');
  });

  test('a disk that is full is named, and the next build finishes', { skip: process.getuid?.() !== 0 }, async () => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    await execute('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', disk]);
    try {
      const base = ['--base', `${registry.host}/cut:1`, '--plain-http', registry.host, '--platform', platform];
      const env = { ...process.env, XDG_CACHE_HOME: disk };
      const build = () => runKeelson(['image', 'build', ...base, '--to', join(folder, 'image')], { cwd, env });
      const { code, err } = await build();
      assert.equal(code, 1);
      assert.match(err, new RegExp(`: no space is left on the disk of ${disk}/\\S+; make some, and call again: `));
      await execute('mount', ['-o', 'remount,size=300m', disk]);
      const again = await build();
      assert.equal(again.code, 0, again.err);
    } finally {
      await execute('umount', [disk]);
    }
  });
});
