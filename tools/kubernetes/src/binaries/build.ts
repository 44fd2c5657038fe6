/**
 * Builds programs from their Go modules into the cache.
 *
 * The modules of the pinned versions are checked in under go/, sums included, so that a build is the same
 * everywhere; the module of another version is made in the cache and tidied there.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context, Environment } from '../machine/context.ts';
import { cacheDirectory, programsDirectory } from '../machine/directories.ts';
import { requireDiskSpace } from '../machine/disk-space.ts';
import { findOnPath, isExecutable } from '../machine/find-on-path.ts';
import { alone } from '../machine/lock.ts';
import { UserFacingError } from '../machine/user-facing-error.ts';
import { type Finished, lastLine, run } from '../processes/run.ts';
import { goModule } from './go-module.ts';
import { buildTags, goPackage, isTest, type Product, type Program, productOf, productVersion } from './programs.ts';
import { type KubernetesVersion, kubernetesVersion, parseKubernetesVersion } from './versions.ts';

const checkedIn = fileURLToPath(new URL('../../go', import.meta.url));
const kubernetesPrograms: readonly Program[] = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'e2e.test',
];

/** Measured cold: 3.3 GB of compiled packages, 1.1 GB of sources, half a gigabyte of programs. */
const neededForGo = 5e9;
const neededForPrograms = 0.6e9;

export async function build(programs: readonly Program[], version: string, context: Context): Promise<void> {
  const { env, progress } = context;
  requireGo(programs, version, env);
  await alone(join(cacheDirectory(env), 'build.lock'), 'building Kubernetes', context, async () => {
    // Another run may have built them while we waited for the lock.
    const missing = programs.filter((program) => !isExecutable(target(program, version, env)));
    if (missing.length === 0) return;
    await requireDiskSpace(cacheDirectory(env), neededForPrograms, 'keeping the programs of Kubernetes');
    const temporary = temporaryDirectory(env);
    try {
      rmSync(temporary, { recursive: true, force: true }); // of a build that was killed
      mkdirSync(temporary, { recursive: true });
      await requireDiskSpace(await goCache(context), neededForGo, 'building Kubernetes');
      progress.say(
        `Building ${missing.join(', ')} for Kubernetes ${version}, once (six minutes for all of a cluster on two cores).`,
      );
      for (const program of missing) await buildOne(program, version, context);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

/** Throws unless there is a Go to build with. */
export function requireGo(programs: readonly Program[], version: string, env: Environment): void {
  if (findOnPath('go', env.PATH ?? '')) return;
  throw new UserFacingError(
    `Go is not on the PATH, and ${programs.join(', ')} of Kubernetes ${version} must be built: install Go 1.26 or later, or set KUBEBUILDER_ASSETS.`,
  );
}

async function buildOne(program: Program, version: string, context: Context): Promise<void> {
  const { env, progress } = context;
  const activity = progress.begin(program);
  const path = target(program, version, env);
  const unfinished = `${path}.unfinished`;
  try {
    const module = await moduleDirectory(productOf(program), parseKubernetesVersion(version), context);
    mkdirSync(dirname(path), { recursive: true });
    const tags = buildTags(program).join(',');
    const flags = [
      '-mod=readonly',
      '-buildvcs=false',
      '-trimpath',
      `-tags=${tags}`,
      '-ldflags',
      linkerFlags(program, version),
    ];
    await go(
      [...(isTest(program) ? ['test', '-c', '-vet=off'] : ['build']), ...flags, '-o', unfinished, goPackage(program)],
      module,
      context,
    );
    renameSync(unfinished, path);
    activity.done();
  } catch (error) {
    rmSync(unfinished, { force: true });
    activity.failed();
    throw error;
  }
}

function target(program: Program, version: string, env: Environment): string {
  const product = productOf(program);
  return join(programsDirectory(env, product, productVersion(product, version)), program);
}

/** Without these, the programs call themselves v0.0.0-master+$Format:%H$, which kubectl cannot parse. */
export function linkerFlags(program: Program, version: string): string {
  const { text, major, minor } = parseKubernetesVersion(version);
  if (program === 'helm') {
    // What it takes for the cluster's version where it has none, as in `helm template`.
    const helms = 'helm.sh/helm/v3/pkg/chartutil.k8sVersion';
    return `-s -w -X ${helms}Major=${major} -X ${helms}Minor=${minor}`;
  }
  if (productOf(program) !== 'kubernetes') return '-s -w';
  const values = {
    gitVersion: text,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: '0'.repeat(40), // a module does not tell its commit
    buildDate: '1970-01-01T00:00:00Z',
  };
  const settings = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((package_) =>
    Object.entries(values).map(([name, value]) => `-X ${package_}.${name}=${value}`),
  );
  return ['-s', '-w', ...settings].join(' ');
}

async function moduleDirectory(product: Product, version: KubernetesVersion, context: Context): Promise<string> {
  if (product !== 'kubernetes' || version.text === kubernetesVersion) return join(checkedIn, product);
  const directory = join(cacheDirectory(context.env), 'modules', version.text);
  if (!existsSync(directory)) await createModule(directory, version, context);
  return directory;
}

/** Appears whole or not at all: an unknown version leaves nothing in the cache. */
async function createModule(directory: string, version: KubernetesVersion, context: Context): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  const goMod = join(unfinished, 'go.mod');
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    // Go downloads only from inside a module, whichever.
    writeFileSync(goMod, 'module keelson.example/kubernetes\n');
    const { GoMod } = await downloadModule(`k8s.io/kubernetes@${version.text}`, unfinished, context);
    writeFileSync(goMod, goModule(readFileSync(GoMod, 'utf8'), version, kubernetesPrograms));
    await go(['mod', 'tidy'], unfinished, context);
    renameSync(unfinished, directory);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function downloadModule(module: string, cwd: string, context: Context): Promise<{ readonly GoMod: string }> {
  const { stdout } = await runGo(['mod', 'download', '-json', module], cwd, context);
  const answer = JSON.parse(stdout) as { readonly GoMod?: string; readonly Error?: string };
  if (answer.GoMod === undefined) {
    throw new UserFacingError(`Go cannot have ${module}: ${answer.Error?.replaceAll(/\s+/g, ' ')}`);
  }
  return { GoMod: answer.GoMod };
}

async function goCache(context: Context): Promise<string> {
  return (await go(['env', 'GOCACHE'], checkedIn, context)).trim();
}

const goArchitectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Go's, for intermediate results; Go removes them itself unless it is killed. */
export function temporaryDirectory(env: Environment): string {
  return join(cacheDirectory(env), 'build.temporary');
}

function runGo(args: readonly string[], cwd: string, { env, signal }: Context): Promise<Finished> {
  const settings = {
    CGO_ENABLED: '0',
    GOWORK: 'off',
    GOOS: 'linux',
    GOARCH: goArchitectures[process.arch],
    GOTMPDIR: temporaryDirectory(env),
  };
  return run(['go', ...args], { env: { ...env, ...settings }, cwd, signal, endWith: 'SIGINT' });
}

export async function go(args: readonly string[], cwd: string, context: Context): Promise<string> {
  const { code, stdout, stderr } = await runGo(args, cwd, context);
  if (code === 0) return stdout;
  if (/no space left on device/.test(stderr)) throw new UserFacingError(`No space is left for go ${args[0]}.`);
  throw new UserFacingError(`go ${args[0]} ${args.at(-1)} failed: ${lastLine(stderr) || lastLine(stdout)}`);
}
