/** The parts of an image: made twice in different places, and looked at with tar's own reader. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { Blobs } from '../src/image/blobs.ts';
import { buildImage, defaultName } from '../src/image/build-image.ts';
import { credentialsFor } from '../src/image/credentials.ts';
import { packageEntries, packagesOf } from '../src/image/dependencies.ts';
import { makeLayer } from '../src/image/layer.ts';
import { type Platform, platformName, platforms } from '../src/image/platform.ts';
import { programEntries } from '../src/image/program.ts';
import { pushImage } from '../src/image/push-image.ts';
import { Registry } from '../src/image/registry.ts';
import { registryBase } from '../src/image/registry-base.ts';
import { interruption } from '../src/image/run.ts';
import { stepsOf } from '../src/image/steps.ts';
import { writeArchive, writeFolder } from '../src/image/write-image.ts';
import { startLoopbackRegistry } from './loopback-registry.ts';
import { runKeelson, testShell } from './test-shell.ts';

const root = await mkdtemp(join(tmpdir(), 'keelson-image-'));
after(() => rm(root, { recursive: true, force: true }));
let count = 0;
const newFolder = async (files: Readonly<Record<string, string>> = {}) => {
  count += 1;
  const folder = join(root, String(count));
  for (const [path, text] of Object.entries({ '.keep': '', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
};

const longPath = `operator/node_modules/${'deep/'.repeat(40)}index.js`;

test('the same files make the same layer in another folder at another time, and other files another', async () => {
  const layerOf = async (text: string, date: number) => {
    const folder = await newFolder({ 'node.bin': text });
    await utimes(join(folder, 'node.bin'), date, date);
    const entries = [
      { path: 'usr/bin/node', file: join(folder, 'node.bin'), isExecutable: true },
      { path: longPath, content: Buffer.from('export {}') },
      { path: 'lib64', target: 'usr/lib64' },
    ];
    const blobs = new Blobs(await newFolder());
    const layer = await makeLayer(date > 1 ? entries.reverse() : entries, blobs);
    return { layer, bytes: await readFile(blobs.path(layer.digest)) };
  };
  const { layer, bytes } = await layerOf('program', 1);
  assert.deepEqual((await layerOf('program', 2)).layer, layer);
  assert.notEqual((await layerOf('other', 1)).layer.digest, layer.digest);
  assert.equal(bytes.length, layer.size);
  assert.equal(bytes[9], 255, 'the system that compressed it is not told');
  const entries = await unpackTar(gunzipSync(bytes), { strict: true });
  const shown = entries
    .filter(({ header }) => header.type !== 'directory')
    .map(({ header, data }) => {
      const { name, mode, uid, mtime, linkname } = header;
      return [name, mode, uid, mtime?.getTime(), linkname || String(Buffer.from(data ?? []))];
    });
  assert.deepEqual(shown, [
    ['lib64', 0o777, 0, 0, 'usr/lib64'],
    [longPath, 0o644, 0, 0, 'export {}'],
    ['usr/bin/node', 0o755, 0, 0, 'program'],
  ]);
  const folders = entries.filter(({ header }) => header.type === 'directory').map(({ header }) => header.name);
  assert.ok(folders.indexOf('usr/') < folders.indexOf('usr/bin/') && folders.includes('usr/bin/'));
});

test('a layer that cannot be made leaves nothing in the folder of blobs, and a damaged note is made again', async () => {
  const folder = await newFolder();
  const blobs = new Blobs(folder);
  await assert.rejects(makeLayer([{ path: 'a', file: join(folder, 'missing') }], blobs), /ENOENT/);
  assert.deepEqual((await readdir(folder)).sort(), ['.keep', 'sha256']);
  const entries = [{ path: 'a', content: Buffer.from('a') }];
  const layer = await makeLayer(entries, blobs);
  const [note = ''] = (await readdir(folder)).filter((name) => name.startsWith('layer-'));
  await writeFile(join(folder, note), '{"dig');
  assert.deepEqual(await makeLayer(entries, blobs), layer);
});

const manifest = (value: object) => JSON.stringify({ version: '1.0.0', ...value });
const project = {
  'package.json': manifest({
    name: 'web-operator',
    type: 'module',
    dependencies: { engine: '*', shared: '*' },
    devDependencies: { tool: '*' },
  }),
  'src/main.ts':
    "import { start } from 'engine';\nimport { word } from 'shared';\nconst text: string = word;\nstart(text);\n",
  'shared/package.json': manifest({
    name: 'shared',
    type: 'module',
    exports: './word.ts',
    dependencies: { deep: '*' },
  }),
  'shared/word.ts': "import deep from 'deep';\nexport const word: string = ['hello', deep].join(' ');\n",
  'node_modules/engine/package.json': manifest({
    name: 'engine',
    exports: './index.js',
    license: 'MIT',
    dependencies: { deep: '*' },
    optionalDependencies: { absent: '*' },
  }),
  'node_modules/engine/index.js': 'exports.start = () => {};\n',
  'node_modules/engine/index.d.ts': 'export {};\n',
  'node_modules/engine/README.md': 'words\n',
  'node_modules/engine/LICENSE.md': 'MIT\n',
  'node_modules/engine/node_modules/deep/package.json': manifest({ name: 'deep', version: '2.0.0', main: 'index.js' }),
  'node_modules/engine/node_modules/deep/index.js': '',
  'node_modules/deep/package.json': manifest({ name: 'deep', main: 'index.js' }),
  'node_modules/deep/index.js': 'module.exports = 1;\n',
  'node_modules/tool/package.json': manifest({ name: 'tool' }),
};
const newProject = async (more: Readonly<Record<string, string>> = {}) => {
  const folder = await newFolder({ ...project, ...more });
  await symlink('../shared', join(folder, 'node_modules/shared'));
  return folder;
};

test('an image has what is needed at run time, as deep as it is installed, and no types, words or tools', async () => {
  const packages = packagesOf(await newProject()).installed;
  assert.deepEqual(
    packages.map(({ path, version }) => `${path} ${version}`),
    ['node_modules/deep 1.0.0', 'node_modules/engine 1.0.0', 'node_modules/engine/node_modules/deep 2.0.0'],
  );
  assert.deepEqual(
    packageEntries(packages, 'operator', platforms)
      .map(({ path }) => path)
      .sort(),
    [
      'operator/node_modules/deep/index.js',
      'operator/node_modules/deep/package.json',
      'operator/node_modules/engine/LICENSE.md',
      'operator/node_modules/engine/index.js',
      'operator/node_modules/engine/node_modules/deep/index.js',
      'operator/node_modules/engine/node_modules/deep/package.json',
      'operator/node_modules/engine/package.json',
    ],
  );
});

test('an image is called as its package, without the scope, and has its version as the tag', async () => {
  const folder = await newFolder({
    'package.json': JSON.stringify({ name: '@scope/web-operator', version: '1.2.0+5' }),
  });
  assert.equal(await defaultName(folder), 'web-operator:1.2.0_5');
});

test('a package that is missing, and one with machine code, are refused with what to do', async () => {
  const { 'node_modules/deep/package.json': _, ...without } = project;
  const lacking = await newFolder(without);
  await symlink('../shared', join(lacking, 'node_modules/shared'));
  assert.throws(
    () => packagesOf(lacking).installed,
    /shared needs the package deep, which is not installed; call "npm ci"/,
  );
  const native = await newProject({ 'node_modules/deep/build/fast.node': '' });
  assert.throws(
    () => packageEntries(packagesOf(native).installed, 'operator', platforms),
    /deep has machine code \(build\/fast\.node\)/,
  );
});

/** The first bytes of a program for Linux. */
const elf = (machine: number) => {
  const head = Buffer.alloc(64);
  head.write('\u007fELF', 'latin1');
  head.writeUInt16LE(machine, 18);
  return head;
};

test('a program of a package is let into an image for its own machine alone', async () => {
  const [amd64, arm64] = platforms;
  assert.ok(amd64 && arm64);
  const cases: readonly (readonly [Buffer | string, machine: string | undefined])[] = [
    [elf(0x3e), 'linux/amd64'],
    [elf(0xb7), 'linux/arm64'],
    [elf(0x16), 'another machine'],
    [Buffer.from('cffaedfe0c000001', 'hex'), 'macOS'],
    [Buffer.from('cafebabe00000002', 'hex'), 'macOS'],
    [Buffer.from('cafebabe00000041', 'hex'), undefined],
    [Buffer.from('4d5a900003000000', 'hex'), 'Windows'],
    ['MZ is how this text begins', undefined],
    ['#!/bin/sh', undefined],
    ['', undefined],
  ];
  for (const [content, machine] of cases) {
    const folder = await newProject();
    await writeFile(join(folder, 'node_modules/deep/helper'), content);
    const packed = (...wanted: readonly Platform[]) => packageEntries(packagesOf(folder).installed, 'operator', wanted);
    const refusal = new RegExp(`deep has machine code for ${machine} \\(helper\\), which an image for linux`);
    if (machine === undefined) assert.ok(packed(amd64, arm64).length > 0);
    else assert.throws(() => packed(amd64, arm64), refusal);
    for (const each of [amd64, arm64]) {
      if (machine === undefined || machine === platformName(each)) assert.ok(packed(each).length > 0);
      else assert.throws(() => packed(each), refusal);
    }
  }
});

test('the same project in two folders is the same image, for two machines in one index', async () => {
  const made = async (isLinked = false) => {
    const blobs = new Blobs(await newFolder());
    const baseFor = async ({ architecture }: Platform) => ({
      layers: [await makeLayer([{ path: 'bin/node', content: Buffer.from(architecture) }], blobs)],
      env: ['PATH=/bin', ...(architecture === 'arm64' ? ['NODE_OPTIONS=--use-openssl-ca'] : [])],
      node: '/bin/node',
      packages: [{ name: 'node', version: architecture, purl: 'npm' as const }],
    });
    const real = await newProject();
    const folder = isLinked ? `${real}-linked` : real;
    if (isLinked) await symlink(real, folder);
    const image = await buildImage({ folder, main: 'src/main.ts', platforms, baseFor, epoch: 0, blobs, onStep() {} });
    return { image, blobs };
  };
  const { image, blobs } = await made();
  assert.deepEqual((await made()).image, image);
  assert.deepEqual((await made(true)).image, image, 'by a link to its folder');
  const read = async (digest: string) => JSON.parse(await readFile(blobs.path(digest), 'utf8'));
  const index = await read(image.index.digest);
  assert.deepEqual(
    index.manifests.map(({ platform }: { readonly platform: Platform }) => platformName(platform)),
    ['linux/amd64', 'linux/arm64'],
  );
  const [first, second] = await Promise.all(
    index.manifests.map(async ({ digest }: { readonly digest: string }) => {
      const { config, layers } = await read(digest);
      return { config: await read(config.digest), layers: layers.map((each: { digest: string }) => each.digest) };
    }),
  );
  assert.equal(second.config.architecture, 'arm64');
  const always = ['NODE_ENV=production', 'MALLOC_ARENA_MAX=1'];
  const heap = 'NODE_OPTIONS=--max-semi-space-size=4';
  assert.deepEqual(first.config.config.Env.toSorted(), ['PATH=/bin', ...always, heap].toSorted());
  const ofBase = ['PATH=/bin', 'NODE_OPTIONS=--use-openssl-ca'];
  assert.deepEqual(second.config.config.Env.toSorted(), [...ofBase, ...always].toSorted(), 'what the base sets stays');
  assert.notEqual(second.layers[0], first.layers[0]);
  assert.deepEqual(second.layers.slice(1), first.layers.slice(1), 'packages and program are shared');
});

/** An image of a project on a base without anything, among blobs of its own. */
async function smallImage() {
  const blobs = new Blobs(await newFolder());
  const base = { layers: [], env: [], node: 'node', packages: [] };
  const folder = await newProject();
  const baseFor = () => Promise.resolve(base);
  const [machine] = platforms;
  const image = await buildImage({
    folder,
    main: 'src/main.ts',
    platforms: machine === undefined ? [] : [machine],
    baseFor,
    epoch: 0,
    blobs,
    onStep() {},
  });
  return { image, blobs };
}

test('what is attached names all that the program is made of, and any registry lists it', async () => {
  const { image, blobs } = await smallImage();
  await using server = await startLoopbackRegistry();
  const place = { registry: server.host, repository: 'web', version: '1' };
  const { signal } = new AbortController();
  const registry = new Registry(place, { isPlain: true, env: {}, signal });
  const push = () => pushImage(image, { registry, version: '1', blobs, onTransfer() {} });
  const [manifest] = image.manifests;
  const tag = manifest?.descriptor.digest.replace(':', '-') ?? '';
  const other = { mediaType: 'a/b', digest: `sha256:${'a'.repeat(64)}`, size: 1 };
  server.content.set(tag, Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: [other] })));
  await push();
  await push();
  const listed = JSON.parse(String(server.content.get(tag))).manifests;
  const [, bill] = listed;
  assert.deepEqual([listed.length, listed[0]], [2, other], 'what others have attached stays');
  assert.equal(bill.artifactType, 'application/spdx+json');
  const { layers, subject } = JSON.parse(String(server.content.get(bill.digest)));
  assert.equal(subject.digest, manifest?.descriptor.digest);
  const { packages } = JSON.parse(String(server.content.get(layers[0].digest)));
  assert.deepEqual(packages.map(({ name, versionInfo }: Record<string, string>) => `${name} ${versionInfo}`).sort(), [
    'deep 1.0.0',
    'deep 2.0.0',
    'engine 1.0.0',
    'shared 1.0.0',
    'web-operator 1.0.0',
  ]);
});

test('a registry that lists what refers to a manifest by itself gets no tag for it', async () => {
  const { image, blobs } = await smallImage();
  await using server = await startLoopbackRegistry();
  server.knowsSubjects = true;
  const place = { registry: server.host, repository: 'web', version: '1' };
  const registry = new Registry(place, { isPlain: true, env: {}, signal: new AbortController().signal });
  await pushImage(image, { registry, version: '1', blobs, onTransfer() {} });
  assert.deepEqual(
    [...server.content.keys()].filter((name) => name.startsWith('sha256-')),
    [],
  );
});

test('a tag for what refers to a manifest that holds something else is told, and not written over', async () => {
  const { image, blobs } = await smallImage();
  await using server = await startLoopbackRegistry();
  const tag = image.attachments[0]?.subject.replace(':', '-') ?? assert.fail();
  const place = { registry: server.host, repository: 'web', version: '1' };
  const registry = new Registry(place, { isPlain: true, env: {}, signal: new AbortController().signal });
  for (const text of ['{"layers":[]}', '[]', 'null', 'no JSON']) {
    server.content.set(tag, Buffer.from(text));
    await assert.rejects(pushImage(image, { registry, version: '1', blobs, onTransfer() {} }), {
      name: 'CommandError',
      message: `under the tag ${tag} the registry has something else than a list of manifests; take that tag away, and call again: what has arrived is kept.`,
    });
    assert.equal(String(server.content.get(tag)), text);
  }
});

test('of a base that is pulled the bill names the image by its digest, and its Node', async () => {
  await using server = await startLoopbackRegistry();
  const add = (value: object, name?: string) => {
    const content = Buffer.from(JSON.stringify(value));
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    server.content.set(name ?? digest, content);
    return { mediaType: 'application/json', digest, size: content.length };
  };
  const config = add({ config: { Env: ['NODE_VERSION=24.1.0'] }, rootfs: { diff_ids: [] } });
  const { digest } = add({ config, layers: [] }, '24');
  const name = `${server.host}/library/node`;
  const place = { registry: server.host, repository: 'library/node', version: '24' };
  const { packages } = await registryBase({
    platform: { os: 'linux', architecture: 'amd64' },
    registry: new Registry(place, { isPlain: true, env: {}, signal: new AbortController().signal }),
    name,
    version: '24',
    blobs: new Blobs(await newFolder()),
    onTransfer() {},
  });
  assert.deepEqual(packages, [
    { name, version: digest, purl: 'oci' },
    { name: 'node', version: '24.1.0', purl: 'generic', license: 'MIT' },
  ]);
});

/** Blobs of which none finds space. What is unfinished gets removed, so it is a link to the device and not the device. */
async function fullDisk(folder: string): Promise<Blobs> {
  const link = join(folder, 'full');
  await symlink('/dev/full', link);
  return new (class extends Blobs {
    override unfinished(): string {
      return link;
    }
  })(folder);
}

test('a full disk is told in words, leaves nothing, and the next call finishes', async () => {
  const folder = await newFolder();
  const full = await fullDisk(folder);
  const entries = [{ path: 'a', content: Buffer.from('a') }];
  const { signal } = new AbortController();
  await assert.rejects(makeLayer(entries, full), (error) => {
    assert.match(
      interruption(error, { signal, folder })?.message ?? '',
      new RegExp(`^no space is left on the disk of ${folder}; make some, and call again`),
    );
    return true;
  });
  assert.deepEqual((await readdir(folder)).sort(), ['.keep', 'sha256']);
  assert.equal((await makeLayer(entries, new Blobs(folder))).size > 0, true);
});

test('a blob that finds no space on the disk is not the fault of the registry', async () => {
  const folder = await newFolder();
  await using registry = await startLoopbackRegistry();
  const content = Buffer.alloc(100_000);
  const { digest, size } = await new Blobs(await newFolder()).add(content);
  registry.content.set(digest, content);
  const place = { registry: registry.host, repository: 'web', version: '1' };
  const { signal } = new AbortController();
  const fetching = new Registry(place, { isPlain: true, env: {}, signal }).fetchBlob(
    { mediaType: 'a', digest, size },
    await fullDisk(folder),
  );
  await assert.rejects(fetching, { code: 'ENOSPC' });
});

test('an image that cannot be written leaves nothing of it', async () => {
  const to = await newFolder();
  const blobs = new Blobs(await newFolder());
  const index = { mediaType: 'a', digest: `sha256:${'0'.repeat(64)}`, size: 1 };
  const image = { index, manifests: [], attachments: [] };
  await assert.rejects(writeFolder({ image, blobs, name: 'web', to: join(to, 'image') }), { code: 'ENOENT' });
  await assert.rejects(writeArchive({ image, blobs, name: 'web', to: join(to, 'image.tar') }), { code: 'ENOENT' });
  assert.deepEqual(await readdir(to), ['.keep']);
});

test('a blob that is sent moves a bar on a terminal, and is one line elsewhere', async () => {
  const size = 30_000_000;
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      if (request.method === 'HEAD') response.writeHead(404).end();
      else if (request.method === 'POST') response.writeHead(202, { location: '/upload' }).end();
      else response.writeHead(bytes === Number(request.headers['content-length']) ? 201 : 400).end();
    });
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const blobs = new Blobs(await newFolder());
  const { digest } = await blobs.add(Buffer.alloc(size));
  const layer = { mediaType: 'a', digest, size };
  const descriptor = { mediaType: 'b', ...(await blobs.add(Buffer.from('{}'))) };
  const image = { index: descriptor, manifests: [{ descriptor, config: layer, layers: [] }], attachments: [] };
  const place = { registry: `127.0.0.1:${(server.address() as AddressInfo).port}`, repository: 'web', version: '1' };
  const { signal } = new AbortController();
  const push = async (errColumns: () => number | undefined) => {
    const registry = new Registry(place, { isPlain: true, env: {}, signal });
    let text = '';
    const { onTransfer, end } = stepsOf(testShell({ errColumns, err: (each) => (text += each) }));
    await pushImage(image, { registry, version: '1', blobs, onTransfer });
    end();
    return text;
  };
  assert.equal(await push(() => undefined), 'Sending blob 1 of 1, 30.0 MB\n');
  const lines = (await push(() => 100)).split('\n');
  assert.match(lines[0] ?? '', /^Sending blob 1 of 1 \[-{20}\] 0 kB of 30\.0 MB$/);
  assert.ok(lines.length > 4, 'it moves more than once');
  assert.ok(lines.length <= 103, 'and not with every piece');
  assert.match(lines.at(-2) ?? '', /\[#{20}\] 30\.0 MB of 30\.0 MB$/);
  assert.equal(lines.at(-1), '\u001b[1A\u001b[J');
});

test('the program is JavaScript with the sources of the workspace in it, and imports what is installed', async () => {
  const entries = await programEntries({ folder: await newProject(), main: 'src/main.ts', prefix: 'operator' });
  assert.deepEqual(entries.map(({ path }) => path).sort(), ['operator/main.js', 'operator/package.json']);
  const [main] = entries.flatMap((entry) => ('content' in entry && entry.path.endsWith('main.js') ? [entry] : []));
  const text = String(main?.content);
  assert.match(text, /from "engine"/);
  assert.match(text, /from "deep"/);
  assert.match(text, /\["hello", deep\]/);
  assert.doesNotMatch(text, /: string/);
});

test('sources that cannot be built are told with their place', async () => {
  const folder = await newProject({ 'src/main.ts': "import 'nowhere';\n" });
  const building = programEntries({ folder, main: 'src/main.ts', prefix: 'operator' });
  await assert.rejects(building, /src\/main\.ts cannot be built: .*src\/main\.ts:1:7.*nowhere/s);
});

test('credentials are those of the registry that is asked for, and a broken file is told without its content', async () => {
  const auth = Buffer.from('me:pass:word').toString('base64');
  const file = JSON.stringify({ auths: { '127.0.0.1:5000': { auth }, 'https://index.docker.io/v1/': { auth: '' } } });
  const env = { DOCKER_CONFIG: await newFolder({ 'config.json': file }) };
  assert.deepEqual(await credentialsFor('127.0.0.1:5000', env), { user: 'me', password: 'pass:word' });
  assert.equal(await credentialsFor('registry.example.com', env), undefined);
  assert.equal(await credentialsFor('docker.io', env), undefined);
  const broken = { DOCKER_CONFIG: await newFolder({ 'config.json': '{"auths": secret' }) };
  await assert.rejects(credentialsFor('docker.io', broken), (error: Error) => {
    assert.match(error.message, /config\.json is no JSON object; mend it/);
    assert.doesNotMatch(error.message, /secret/);
    return true;
  });
  const helped = JSON.stringify({ credHelpers: { 'registry.example.com': 'that-is-not-there' } });
  await assert.rejects(
    credentialsFor('registry.example.com', { DOCKER_CONFIG: await newFolder({ 'config.json': helped }), PATH: '' }),
    /leaves passwords to docker-credential-that-is-not-there, which cannot be started; install it/,
  );
});

test('flags that make no sense end with 2, and a folder that is no image is not replaced', async () => {
  const cwd = await newProject({
    'package.json': manifest({
      name: 'web-operator',
      keelson: { operator: './src/operator.ts' },
    }),
    'src/operator.ts': 'export {};\n',
  });
  const env = { XDG_CACHE_HOME: await newFolder(), PATH: '' };
  const run = async (...argv: string[]) => {
    const { code, err } = await runKeelson(['image', ...argv], { cwd, env });
    return `${code} ${err}`;
  };
  assert.match(
    await run('build', '--platform', 'linux/s390x'),
    /^2 .*no image for linux\/s390x; choose from linux\/amd64/,
  );
  assert.match(await run('push', 'Not An Image'), /^2 .*names no image/);
  assert.match(await run('push', `web@sha256:${'a'.repeat(64)}`), /^2 .*ends with a digest, which nobody can choose/);
  assert.match(await run('build', '--output', 'zip'), /^2 .*Allowed choices are oci-dir, docker-archive/);
  assert.match(
    await run('build', '--base', 'packages'),
    /^1 (.*…\n)*keelson image build: a base of packages is made with npm, apt-get and dpkg-deb, and \S+ is not here/,
  );
  await rm(join(cwd, 'src/main.ts'));
  assert.match(await run('build'), /^1 .*there is no .*main\.ts, which would run the operator/);
});

test('a registry that wants a password gets it, however its name is written', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.authorization);
    if (request.headers.authorization === undefined) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end();
    } else response.writeHead(200).end();
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const registry = `LOCALHOST:${(server.address() as AddressInfo).port}`;
  const auth = Buffer.from('me:word').toString('base64');
  const file = JSON.stringify({ auths: { [registry]: { auth } } });
  const env = { DOCKER_CONFIG: await newFolder({ 'config.json': file }) };
  const { signal } = new AbortController();
  const place = { registry, repository: 'web', version: '1' };
  const blob = { mediaType: 'a', digest: `sha256:${'a'.repeat(64)}`, size: 1 };
  assert.equal(await new Registry(place, { isPlain: true, env, signal }).hasBlob(blob), true);
  assert.deepEqual(asked, [undefined, `Basic ${auth}`]);
});

test('a registry that is down, and one that refuses the password, are told with what to do', async () => {
  const server = createServer((_, response) => {
    const message = JSON.stringify({ errors: [{ code: 'DENIED', message: 'requested access is denied' }] });
    response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end(message);
  }).listen(0, '127.0.0.1');
  after(() => server.close());
  await once(server, 'listening');
  const registry = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const auths = { [registry]: { auth: Buffer.from('me:wrong').toString('base64') } };
  const env = { DOCKER_CONFIG: await newFolder({ 'config.json': JSON.stringify({ auths }) }) };
  const { signal } = new AbortController();
  const blobs = new Blobs(await newFolder());
  const blob = { mediaType: 'a', ...(await blobs.add(Buffer.from('a'))) };
  const sendTo = (at: string, who = env) =>
    new Registry({ registry: at, repository: 'web', version: '1' }, { isPlain: true, env: who, signal }).sendBlob(
      blob,
      blobs.path(blob.digest),
    );
  await assert.rejects(
    sendTo(registry),
    /: 127\.0\.0\.1:\d+ does not take the password of "me" \(401, requested access is denied\); log in again with "docker login 127\.0\.0\.1:\d+"\.$/,
  );
  const isWanting =
    /: 127\.0\.0\.1:\d+ wants a user and a password \(401, .*; log in with "docker login 127\.0\.0\.1:\d+"\.$/;
  await assert.rejects(sendTo(registry, { DOCKER_CONFIG: root }), isWanting);
  await assert.rejects(
    sendTo('127.0.0.1:1'),
    /: the registry 127\.0\.0\.1:1 cannot be reached \([^;]+\); see that it runs, then call again: what has arrived is kept\.$/,
  );
});
