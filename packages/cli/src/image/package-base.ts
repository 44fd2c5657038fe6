/**
 * A base that needs no registry of images: the program of Node from its npm package, and under it the C and C++ libraries from
 * Debian's packages. No shell, no package manager, nothing else.
 *
 * Both layers are made once for each version and then taken from the folder of blobs.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { CommandError } from '../command-error.ts';
import type { Base } from './base.ts';
import type { Blobs } from './blobs.ts';
import { type LayerEntry, makeLayer } from './layer.ts';
import { nodeArchitecture, type Platform } from './platform.ts';

/** What Node is linked with. */
const libraries = ['libc6', 'libgcc-s1', 'libstdc++6'];

const run = promisify(execFile);
const unzip = promisify(gunzip);

export interface PackageBaseOptions {
  readonly platform: Platform;
  /** Of Node, such as `24.21.0`. */
  readonly nodeVersion: string;
  readonly blobs: Blobs;
  /** Whether it is made anew, with the libraries of today. */
  readonly isFresh: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

/** The base that was made before, or a new one. */
export async function packageBase(options: PackageBaseOptions): Promise<Base> {
  const { platform, nodeVersion, blobs, isFresh } = options;
  const note = `base-${platform.architecture}-${nodeVersion}.json`;
  const before = isFresh ? undefined : await blobs.note<Base>(note);
  const areThere = await Promise.all((before?.layers ?? []).map(({ digest }) => blobs.has(digest)));
  if (before !== undefined && areThere.every(Boolean)) return before;
  const made = await newBase(options);
  await blobs.writeNote(note, made);
  return made;
}

async function newBase(options: PackageBaseOptions): Promise<Base> {
  const { platform, nodeVersion, blobs } = options;
  const work = await mkdtemp(join(tmpdir(), 'keelson-image-'));
  try {
    const { entries, packages } = await libraryEntries(work, options);
    const node = await nodePackage(work, options);
    const layers = [
      await makeLayer(entries, blobs),
      await makeLayer([{ path: 'usr/local/bin/node', content: node.program, isExecutable: true }], blobs),
    ];
    return {
      layers,
      env: ['PATH=/usr/local/bin', `NODE_VERSION=${nodeVersion}`],
      node: '/usr/local/bin/node',
      packages: [
        ...packages,
        {
          name: `node-linux-${nodeArchitecture(platform)}`,
          version: nodeVersion,
          purl: 'npm',
          license: node.license,
        },
      ],
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function nodePackage(
  work: string,
  { platform, nodeVersion, env, signal }: PackageBaseOptions,
): Promise<{ readonly program: Buffer; readonly license: string | undefined }> {
  const name = `node-linux-${nodeArchitecture(platform)}@${nodeVersion}`;
  const folder = join(work, 'npm');
  await mkdir(folder);
  await tool('npm', ['pack', name, '--silent', '--pack-destination', folder], { cwd: work, env, signal });
  const [archive = ''] = await readdir(folder);
  const files = await unpackTar(await unzip(await readFile(join(folder, archive))), {
    filter: (header) => ['package/bin/node', 'package/package.json'].includes(header.name),
  });
  const dataOf = (path: string) => files.find(({ header }) => header.name === path)?.data;
  const program = dataOf('package/bin/node');
  if (program === undefined) throw new CommandError(`the npm package ${name} has no program in it`);
  const { license } = JSON.parse(String(Buffer.from(dataOf('package/package.json') ?? '{}'))) as { license?: string };
  return { program: Buffer.from(program), license };
}

async function libraryEntries(work: string, { platform, env, signal }: PackageBaseOptions) {
  const { architecture } = platform;
  for (const part of ['lists/partial', 'cache/archives/partial', 'debs']) {
    await mkdir(join(work, part), { recursive: true });
  }
  const settings = join(work, 'apt.conf');
  await writeFile(settings, aptSettings(work, architecture));
  const apt = (args: readonly string[]) =>
    tool('apt-get', ['-q', '-c', settings, ...args], { cwd: join(work, 'debs'), env, signal });
  await apt(['update']);
  await apt(['download', ...libraries]);
  const entries: LayerEntry[] = [];
  const packages = [];
  for (const deb of (await readdir(join(work, 'debs'))).sort()) {
    const [name = '', version = ''] = deb.split('_');
    packages.push({ name, version: decodeURIComponent(version), purl: 'deb' as const, architecture });
    const archive = await tool('dpkg-deb', ['--fsys-tarfile', deb], { cwd: join(work, 'debs'), env, signal });
    for (const { header, data } of await unpackTar(archive)) {
      const path = header.name.replace(/^\.?\//, '');
      const isWanted = /\.so(\.|$)/.test(path) || path.endsWith('/copyright');
      if (!isWanted || path.includes('/gconv/')) continue;
      if (header.type === 'symlink' && header.linkname) entries.push({ path, target: header.linkname });
      if (header.type === 'file' && data) entries.push({ path, content: Buffer.from(data), isExecutable: true });
    }
  }
  return { entries, packages };
}

/** Lists and archives of its own, for an architecture that may be another than this machine's. */
function aptSettings(work: string, architecture: string): string {
  return `
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Architectures;
APT::Architecture "${architecture}";
APT::Architectures { "${architecture}"; };
APT::Sandbox::User "root";
Dir::State::Lists "${join(work, 'lists')}";
Dir::State::status "/dev/null";
Dir::Cache "${join(work, 'cache')}";
Acquire::Languages "none";
`;
}

async function tool(
  program: string,
  args: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly signal: AbortSignal },
): Promise<Buffer> {
  try {
    const { stdout } = await run(program, args, { cwd, env, signal, encoding: 'buffer', maxBuffer: 1 << 28 });
    return stdout;
  } catch (error) {
    signal.throwIfAborted();
    const { code, stderr, message } = error as Error & { readonly code?: unknown; readonly stderr?: Buffer };
    if (code === 'ENOENT') {
      throw new CommandError(
        `a base of packages is made with npm, apt-get and dpkg-deb, and ${program} is not here`,
        'name an image that has Node with --base',
      );
    }
    const said = String(stderr ?? '').trim();
    if (/ENOSPC|No space left on device/.test(said)) {
      const next = 'make some there, or name another folder as TMPDIR, and call again';
      throw new CommandError(`no space is left on the disk for ${program}, which works in ${tmpdir()}`, next);
    }
    const why = said.split('\n').at(-1) || message;
    throw new CommandError(`${program} ${args[0] === '-q' ? args[3] : args[0]} failed: ${why}`);
  }
}
