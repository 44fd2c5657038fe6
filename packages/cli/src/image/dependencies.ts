/**
 * The packages that a project needs at run time, as they are installed.
 *
 * Packages of a workspace are sources, which are joined into the program; the others go into a layer of their own, as
 * deep in `node_modules` as they are here, so that each finds what it found here.
 */
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { LayerEntry } from './layer.ts';
import { machineOf } from './machine-code.ts';
import { type Platform, platformName } from './platform.ts';

/** A package that is installed. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  readonly license?: string | undefined;
  readonly folder: string;
  /** Where the folder is below the one that holds the outermost `node_modules`. */
  readonly path: string;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const isInstalled = (folder: string) => folder.split(sep).includes('node_modules');

/** Every package that the project in `folder` needs, sorted by their paths. */
export interface NeededPackages {
  readonly installed: readonly InstalledPackage[];
  /** Those of its own workspace, which are part of the program. */
  readonly joined: readonly InstalledPackage[];
}

export function packagesOf(folder: string): NeededPackages {
  const found = new Map<string, InstalledPackage>();
  const seen = new Set<string>();
  const visit = (from: string) => {
    if (seen.has(from)) return;
    seen.add(from);
    const manifest = manifestOf(from);
    const peers = Object.keys(manifest.peerDependencies ?? {});
    const optional = new Set([
      ...Object.keys(manifest.optionalDependencies ?? {}),
      ...peers.filter((name) => manifest.peerDependenciesMeta?.[name]?.optional),
    ]);
    for (const name of new Set([...Object.keys(manifest.dependencies ?? {}), ...peers, ...optional])) {
      const at = resolve(from, name);
      if (at === undefined) {
        if (optional.has(name)) continue;
        throw new CommandError(
          `${manifest.name ?? from} needs the package ${name}, which is not installed`,
          'call "npm ci" and then this again',
        );
      }
      found.set(at.folder, at);
      visit(at.folder);
    }
  };
  visit(realpathSync(folder));
  const all = [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    installed: all.filter((each) => isInstalled(each.folder)),
    joined: all.filter((each) => !isInstalled(each.folder)),
  };
}

/** As Node looks for a package: in the `node_modules` of each folder upwards. */
function resolve(from: string, name: string): InstalledPackage | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) {
      const real = realpathSync(candidate);
      const { version = '0.0.0', license } = manifestOf(real);
      const root = real.slice(0, real.indexOf(`${sep}node_modules${sep}`) + 1);
      return { name, version, license, folder: real, path: relative(root, real).split(sep).join('/') };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** What a package is made of at run time: no types, no maps of sources, no words about it but its licence. */
const isLeftOut = (path: string) =>
  /\.(map|md|markdown|[cm]?ts)$/i.test(path) && !/(^|\/)(licen[cs]e|notice|copying)[^/]*$/i.test(path);

/**
 * The files of packages below `prefix`, each without the packages inside it: those are listed by themselves. All platforms
 * share them, so that a program which runs on another one is refused.
 */
export function packageEntries(
  packages: readonly InstalledPackage[],
  prefix: string,
  platforms: readonly Platform[],
): readonly LayerEntry[] {
  return packages.flatMap(({ name, folder, path }) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each) => relative(folder, join(each.parentPath, each.name)).split(sep).join('/'))
      .filter((file) => !file.startsWith('node_modules/') && !isLeftOut(file))
      .map((file): LayerEntry => {
        const machine = machineOf(join(folder, file));
        const isForAll = platforms.every((each) => platformName(each) === machine);
        // An addon needs more than its platform: the C library that it was linked with.
        if (file.endsWith('.node') || (machine !== undefined && !isForAll)) {
          const which = machine === undefined ? '' : ` for ${machine}`;
          throw new CommandError(
            `the package ${name} has machine code${which} (${file}), which an image for ${platforms.map(platformName).join(' and ')} cannot have`,
            'build with a Dockerfile instead, or do without that package',
          );
        }
        return { path: `${prefix}/${path}/${file}`, file: join(folder, file) };
      }),
  );
}
