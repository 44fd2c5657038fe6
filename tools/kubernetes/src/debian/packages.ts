/**
 * Debian's packages for a node: downloaded with apt-get and unpacked into the cache. Nothing is installed, and
 * apt's own lists and archives stay as they are: a private copy is fetched, so empty ones do not matter.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Context, Environment } from '../machine/context.ts';
import { cacheDirectory } from '../machine/directories.ts';
import { requireDiskSpace } from '../machine/disk-space.ts';
import { findOnPath, systemPath } from '../machine/find-on-path.ts';
import { alone } from '../machine/lock.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { lastLine, run, succeed } from '../processes/run.ts';
import { packageClosure } from './closure.ts';

/** Raise it when the list below changes, so that older caches are not taken for complete. */
const listVersion = 2;
const packages = [
  'busybox-static',
  'containerd',
  'containernetworking-plugins',
  'docker-registry',
  'iproute2',
  'iptables',
  'memcached',
  'runc',
] as const;

const neededBytes = 0.5e9;
const triplets: Readonly<Record<string, string>> = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' };

export interface DebianRoot {
  /** Holds `usr/bin/containerd` and so on. */
  readonly directory: string;
  /** Finds the machine's own programs first, then the unpacked ones and their libraries. */
  readonly env: Environment;
}

export async function debianRoot(context: Context): Promise<DebianRoot> {
  const { env } = context;
  const directory = rootDirectory(env);
  if (!existsSync(directory)) {
    const missing = missingPackageTools(env);
    if (missing) throw new UserFacingError(missing);
    await requireDiskSpace(cacheDirectory(env), neededBytes, "keeping Debian's packages");
    await alone(join(cacheDirectory(env), 'debian.lock'), "downloading Debian's packages", context, async () => {
      if (!existsSync(directory)) await fetch(directory, context);
    });
  }
  return { directory, env: environmentFor(directory, env) };
}

/** Why the packages cannot be had, in one sentence; nothing if they can, or are there already. */
export function missingPackageTools(env: Environment): string | undefined {
  if (existsSync(rootDirectory(env))) return undefined;
  const missing = ['apt-get', 'apt-cache', 'dpkg-deb'].filter((tool) => !findOnPath(tool, systemPath(env)));
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} cannot be found, and pods need packages of Debian (${packages.join(', ')}).`;
}

/** The same variables with another root: inside the node, the packages are at another place. */
export function environmentFor(directory: string, env: Environment): Environment {
  const triplet = triplets[process.arch] ?? '';
  const libraries = ['usr/lib', 'lib'].map((lib) => join(directory, lib, triplet));
  const programs = ['usr/sbin', 'usr/bin', 'sbin', 'bin', 'keelson'].map((bin) => join(directory, bin));
  return {
    ...env,
    PATH: [systemPath(env), ...programs].join(':'),
    LD_LIBRARY_PATH: libraries.join(':'),
    XTABLES_LIBDIR: join(directory, 'usr/lib', triplet, 'xtables'),
  };
}

function rootDirectory(env: Environment): string {
  return join(cacheDirectory(env), 'debian', `${release()}-${process.arch}-${listVersion}`);
}

function release(): string {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    const value = (name: string) => new RegExp(`^${name}="?([\\w.]+)"?$`, 'm').exec(text)?.[1] ?? 'unknown';
    return `${value('ID')}-${value('VERSION_ID')}`;
  } catch {
    return 'unknown';
  }
}

async function fetch(directory: string, { env, progress, signal }: Context): Promise<void> {
  const activity = progress.begin("Debian's packages");
  const work = `${directory}.unfinished`;
  try {
    rmSync(work, { recursive: true, force: true });
    for (const part of ['lists/partial', 'cache/archives/partial', 'debs', 'root/keelson']) {
      mkdirSync(join(work, part), { recursive: true });
    }
    const settings = join(work, 'apt.conf');
    writeFileSync(settings, aptSettings(work));
    const options = { env: { ...env, PATH: systemPath(env) }, signal };

    // One of several sources may fail without harm, so only the download decides.
    const update = await run(['apt-get', '-c', settings, 'update'], options);
    const only = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances'].map(
      (kind) => `--no-${kind}`,
    );
    const tree = await run(['apt-cache', '-c', settings, 'depends', '--recurse', ...only, ...packages], options);
    const wanted = packageClosure(packages, tree.stdout);
    const download = await run(['apt-get', '-c', settings, 'download', ...wanted], {
      ...options,
      cwd: join(work, 'debs'),
    });
    if (download.code !== 0) {
      const reason = lastLine(download.stderr) || lastLine(update.stderr);
      throw new UserFacingError(`apt-get could not download ${packages.join(', ')}: ${reason}`);
    }
    for (const deb of readdirSync(join(work, 'debs'))) {
      await succeed(['dpkg-deb', '-x', join(work, 'debs', deb), join(work, 'root')], options);
    }
    linkIptables(join(work, 'root'));
    renameSync(join(work, 'root'), directory);
    activity.done();
  } catch (error) {
    activity.failed();
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Private lists and archives; the hooks are cleared because those of container images delete the system's archives. */
function aptSettings(work: string): string {
  return `
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State::Lists "${join(work, 'lists')}";
Dir::Cache "${join(work, 'cache')}";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
`;
}

/** Debian chooses between iptables-nft and iptables-legacy when the package is installed. */
function linkIptables(root: string): void {
  for (const family of ['iptables', 'ip6tables']) {
    for (const suffix of ['', '-save', '-restore']) {
      symlinkSync(`../usr/sbin/${family}-nft${suffix}`, join(root, 'keelson', `${family}${suffix}`));
    }
  }
}
