/** A push that does not get to its end: what it says, what it leaves, and that the next one finishes it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Blobs } from '../src/image/blobs.ts';
import { type LoopbackRegistry, startLoopbackRegistry } from './loopback-registry.ts';
import { createProjects } from './projects.ts';
import { runKeelson } from './test-shell.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const projects = await createProjects();
after(() => projects[Symbol.asyncDispose]());
await projects.write(
  'package.json',
  '{ "name": "website", "version": "1.0.0", "type": "module", "keelson": { "operator": "./src/operator.ts" } }',
);
await projects.write('src/operator.ts', 'export {};\n');
await projects.write('src/main.ts', "console.log('hello');\n");
const env = { ...process.env, XDG_CACHE_HOME: join(projects.root, 'cache') };

/** More than the sockets between two processes hold, so that it is never sent before its middle is read. */
const layerSize = 16_000_000;
const half = layerSize / 2;

/** Has a base image, of which a push sends a layer to another repository. */
async function registryWithBase(): Promise<LoopbackRegistry> {
  const registry = await startLoopbackRegistry();
  const blobs = new Blobs(join(projects.root, 'base'));
  const add = async (content: Buffer) => {
    const added = await blobs.add(content);
    registry.content.set(added.digest, content);
    return added;
  };
  const layer = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
    ...(await add(Buffer.alloc(layerSize, '.'))),
  };
  const config = await add(Buffer.from(JSON.stringify({ rootfs: { diff_ids: [layer.digest] } })));
  registry.content.set('base', Buffer.from(JSON.stringify({ config, layers: [layer] })));
  return registry;
}

let registry: LoopbackRegistry;
let argv: readonly string[];
beforeEach(async () => {
  registry = await registryWithBase();
  const base = ['--base', `${registry.host}/node:base`, '--plain-http', registry.host];
  argv = ['image', 'push', '--platform', 'linux/amd64', ...base, `${registry.host}/website:1`];
  // Once the base is fetched, its layer is taken away: a push has to send it.
  assert.equal((await runKeelson(argv.with(1, 'build').slice(0, -1), { cwd: projects.root, env })).code, 0);
  for (const [name, content] of registry.content) if (content.length === layerSize) registry.content.delete(name);
});

/** Everything that the tag leads to is there: what the registry has was checked when it came. */
function assertWhole({ content }: LoopbackRegistry): void {
  const read = (name: string) => JSON.parse(String(content.get(name)));
  const [manifest] = read('1').manifests;
  const { config, layers } = read(manifest.digest);
  for (const { digest, size } of [config, ...layers]) assert.equal(content.get(digest)?.length, size);
  assert.ok(layers.some(({ size }: { readonly size: number }) => size === layerSize));
}

test('a push whose connection breaks in the middle of a blob says so in one sentence, and the next call finishes it', async () => {
  await using place = registry;
  place.onPiece = (request, bytes) => void (bytes > half && request.socket.destroy());
  const { code, out, err } = await runKeelson(argv, { cwd: projects.root, env });
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(
    err,
    /^keelson image push: the connection to the registry 127\.0\.0\.1:\d+ broke \([^;]+\); call again: what has arrived is kept\.$/m,
  );
  assert.equal(place.content.has('1'), false, 'nothing is named that is not whole');

  const { uploads } = place;
  place.onPiece = () => {};
  const again = await runKeelson([...argv, '--output', 'json'], { cwd: projects.root, env });
  assert.equal(again.code, 0, again.err);
  const { sent, known } = JSON.parse(again.out);
  assert.equal(sent.blobs, place.uploads - uploads);
  assert.ok(known >= uploads, 'what had arrived is not sent again');
  assertWhole(place);
});

test('a process that is killed in the middle of a blob leaves no tag, and the next one finishes it', async () => {
  await using place = registry;
  const child = spawn(process.execPath, [main, ...argv], { cwd: projects.root, env, stdio: 'ignore' });
  place.onPiece = (request, bytes) => {
    if (bytes <= half) return;
    request.pause(); // so that no more of it can come
    child.kill('SIGKILL');
  };
  const [, signal] = await once(child, 'exit');
  assert.equal(signal, 'SIGKILL');
  assert.equal(place.content.has('1'), false);

  place.onPiece = () => {};
  const again = await runKeelson(argv, { cwd: projects.root, env });
  assert.equal(again.code, 0, again.err);
  assertWhole(place);
});
