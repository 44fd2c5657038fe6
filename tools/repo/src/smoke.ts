/**
 * Shows that the built packages load and run on Node 22, the oldest version that we support.
 *
 * Node 22 comes from the npm registry like Node 24 (the platform package `node-<platform>-<arch>`, which has no install
 * script), into a cache outside the checkout: as a dependency its `node` would fight for the same place on the PATH.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { arch, env, platform } from 'node:process';
import { importsOf } from './imports.ts';
import { type Package, root } from './workspace.ts';

const version = '22.23.3';

function node22(): string {
  const home = join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'keelson', `node-${version}`);
  const name = `node-${platform}-${arch}`;
  const binary = join(home, 'node_modules', name, 'bin', platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(binary)) return binary;
  mkdirSync(home, { recursive: true });
  const install = ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', home, `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', install, { cwd: home, encoding: 'utf8' });
  if (status !== 0 || !existsSync(binary))
    throw new Error(`Node ${version} could not be installed from npm: ${stderr}`);
  return binary;
}

/** Imports everything that can be imported of a package. */
function programOf({ manifest }: Package): string {
  const files = globSync('**/*.js', { cwd: join(root, 'dist', 'node_modules', manifest.name) });
  return [
    `if (!process.version.startsWith('v22.')) throw new Error('this is Node ' + process.version);`,
    ...importsOf(manifest, files).map((name) => `await import('${name}');`),
  ].join('\n');
}

/** Loads every package on Node 22 and runs its commands; returns one sentence for each package that fails. */
export async function smokeOnNode22(packages: readonly Package[]): Promise<readonly string[]> {
  const node = node22();
  const cwd = join(root, 'dist');
  const failures: string[] = [];
  for (const pkg of packages) {
    const bins = Object.values(pkg.manifest.bin ?? {}).map((source) =>
      join('node_modules', pkg.manifest.name, source.replace('./src/', '').replace(/\.ts$/, '.js')),
    );
    const runs = [['--input-type=module', '--eval', programOf(pkg)], ...bins.map((bin) => [bin, '--help'])];
    for (const args of runs) {
      const { status, stderr } = spawnSync(node, args, { cwd, encoding: 'utf8' });
      if (status !== 0) failures.push(`${pkg.manifest.name} does not run on Node ${version}: ${stderr}`);
    }
  }
  if (failures.length === 0) console.log(`loaded all of them on Node ${version}`);
  return failures;
}
