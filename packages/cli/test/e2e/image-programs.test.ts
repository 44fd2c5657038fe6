/** A base of packages, for each machine: what is in it is for that machine, and finds all that it is linked with. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { runKeelson } from '../test-shell.ts';
import { type Elf, readElf } from './elf.ts';

const cwd = fileURLToPath(new URL('../../../../operators/memcached', import.meta.url));
const root = await mkdtemp(join(tmpdir(), 'keelson-programs-'));
after(() => rm(root, { recursive: true, force: true }));

/** A file of an image: its content, or where it leads. */
type Entry = { readonly content: Buffer } | { readonly target: string };

interface Described {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

const blob = (digest: string) => readFile(join(root, 'image/blobs', digest.replace(':', '/')));
const json = async (digest: string) => JSON.parse(String(await blob(digest)));

async function filesOf(manifest: Described): Promise<ReadonlyMap<string, Entry>> {
  const files = new Map<string, Entry>();
  const { layers } = (await json(manifest.digest)) as { readonly layers: readonly Described[] };
  for (const { digest } of layers) {
    for (const { header, data } of await unpackTar(gunzipSync(await blob(digest)))) {
      const path = `/${header.name.replace(/^\.?\//, '')}`;
      if (header.type === 'symlink') files.set(path, { target: posix.resolve(dirname(path), header.linkname ?? '') });
      if (header.type === 'file') files.set(path, { content: Buffer.from(data ?? []) });
    }
  }
  return files;
}

/** The program behind a path, through links of files and of the folders above them. */
function programAt(files: ReadonlyMap<string, Entry>, path: string): Elf | undefined {
  const found = files.get(path);
  if (found !== undefined) return 'content' in found ? readElf(found.content) : programAt(files, found.target);
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    const link = files.get(folder);
    if (link && 'target' in link) return programAt(files, `${link.target}${path.slice(folder.length)}`);
  }
  return undefined;
}

const triplets = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

test('every program in an image is for its machine, and its linker and libraries are there', async () => {
  const to = join(root, 'image');
  const { code, err } = await runKeelson(['image', 'build', '--base', 'packages', '--to', to], {
    cwd,
    env: process.env,
  });
  assert.equal(code, 0, err);
  const [index] = JSON.parse(await readFile(join(to, 'index.json'), 'utf8')).manifests;
  const { manifests } = (await json(index.digest)) as { readonly manifests: readonly Described[] };
  for (const machine of ['amd64', 'arm64'] as const) {
    const manifest = manifests.find(({ platform }) => platform?.architecture === machine);
    assert.ok(manifest);
    const files = await filesOf(manifest);
    const places = ['/lib', '/usr/lib'].flatMap((folder) => [`${folder}/${triplets[machine]}`, folder]);
    let programs = 0;
    for (const [path, entry] of files) {
      const elf = 'content' in entry ? readElf(entry.content) : undefined;
      if (elf === undefined) continue;
      programs += 1;
      assert.equal(elf.machine, machine, path);
      if (elf.interpreter) assert.equal(programAt(files, elf.interpreter)?.machine, machine, elf.interpreter);
      for (const name of elf.needed) {
        // The linker is also needed by name, and is where programs say that it is.
        const found = [...places, '/lib64'].map((folder) => programAt(files, `${folder}/${name}`));
        assert.ok(
          found.some((each) => each?.machine === machine),
          `${path} needs ${name}`,
        );
      }
    }
    const node = programAt(files, '/usr/local/bin/node');
    assert.ok(node?.interpreter && node.needed.includes('libstdc++.so.6'), JSON.stringify(node));
    assert.ok(programs > node.needed.length, `${programs} programs`);
  }
});
