/**
 * Builds what is published: JavaScript, declarations and package.json of each package, in dist/node_modules/@keelson.
 * The modules of a package are joined (ADR 29).
 *
 * There the built packages find each other by name and third-party ones in the root's node_modules, so that what is
 * tried there is what a user gets. The checkout itself needs no build: its exports name the TypeScript sources.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exit } from 'node:process';
import { bundle } from './bundle.ts';
import { report } from './results.ts';
import { smokeOnNode22 } from './smoke.ts';
import { type Manifest, type Package, publishedPackages, root } from './workspace.ts';

export const dist = join(root, 'dist');
const configs = join(dist, 'tsconfig');

/** Where a package's build goes: the folder from which others resolve it by name. */
export const outputOf = ({ manifest }: Package): string => join(dist, 'node_modules', manifest.name);

const configOf = (name: string): string => join(configs, `${name.replace('@keelson/', '')}.json`);

/** Writes the TypeScript project of a package; its references are its dependencies, so nothing is written twice. */
function writeProject(pkg: Package, names: ReadonlySet<string>): void {
  const references = Object.keys(pkg.manifest.dependencies ?? {})
    .filter((name) => names.has(name))
    .map((name) => ({ path: configOf(name) }));
  const project = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      composite: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(pkg.folder, 'src'),
      outDir: outputOf(pkg),
      tsBuildInfoFile: `${configOf(pkg.manifest.name)}.tsbuildinfo`,
    },
    include: [join(pkg.folder, 'src')],
    exclude: [join(pkg.folder, 'src/**/*.test.ts')],
    references,
  };
  writeFileSync(configOf(pkg.manifest.name), JSON.stringify(project, null, 2));
}

const built = (source: string, extension: string): string =>
  source.replace(/^\.\/src\//, './').replace(/\.ts$/, extension);

const builtEntries = (entries: Readonly<Record<string, string>> = {}) =>
  Object.entries(entries).map(([name, source]) => [name, built(source, '.js')] as const);

/** The package.json that is published: built files instead of sources, exact versions of the siblings. */
export function publishedManifest(manifest: Manifest, versionOf: (name: string) => string | undefined): object {
  const exports = Object.entries(manifest.exports).map(([path, source]) => [
    path,
    { types: built(source, '.d.ts'), default: built(source, '.js') },
  ]);
  const dependencies = Object.entries(manifest.dependencies ?? {}).map(([name, range]) => [
    name,
    versionOf(name) ?? range,
  ]);
  const bin = builtEntries(manifest.bin);
  const imports = builtEntries(manifest.imports);
  const { devDependencies: _, ...published } = manifest;
  return {
    ...published,
    exports: Object.fromEntries(exports),
    ...(imports.length > 0 && { imports: Object.fromEntries(imports) }),
    ...(bin.length > 0 && { bin: Object.fromEntries(bin) }),
    ...(dependencies.length > 0 && { dependencies: Object.fromEntries(dependencies) }),
    engines: { node: '>=22' },
    publishConfig: { access: 'public', provenance: true },
  };
}

/** Files that the sources read at run time; tsc copies none. They are listed in the package's `files`. */
function copyData(pkg: Package): void {
  for (const file of globSync(pkg.manifest.files ?? [], {
    cwd: pkg.folder,
    exclude: ['src/**', 'test/**', 'node_modules/**'],
  })) {
    cpSync(join(pkg.folder, file), join(outputOf(pkg), file), { recursive: true });
  }
  if (existsSync(join(pkg.folder, 'README.md')))
    copyFileSync(join(pkg.folder, 'README.md'), join(outputOf(pkg), 'README.md'));
  for (const file of ['LICENSE', 'NOTICE']) copyFileSync(join(root, file), join(outputOf(pkg), file));
}

/** The built files that can be loaded from outside, and those that the package loads into processes of their own. */
const entriesOf = ({ exports, bin = {}, imports = {} }: Manifest): readonly string[] =>
  [exports, bin, imports].flatMap(Object.values<string>).map((source) => built(source, '.js'));

/** What a release has and the checkout does not have yet. */
export interface Release {
  /** That of all packages. */
  readonly version: string;
  /** Of each package, by its name. */
  readonly changelogs: ReadonlyMap<string, string>;
  /** The URL of the repository that it is published from. */
  readonly repository?: string | undefined;
}

/** Builds all packages, as they are or as they are released; undefined when the compiler reported errors. */
export function build(release?: Release): readonly Package[] | undefined {
  const packages = publishedPackages();
  const versions = new Map(packages.map(({ manifest }) => [manifest.name, release?.version ?? manifest.version]));
  rmSync(configs, { recursive: true, force: true });
  rmSync(join(dist, 'node_modules'), { recursive: true, force: true });
  mkdirSync(configs, { recursive: true });
  for (const pkg of packages) writeProject(pkg, new Set(versions.keys()));
  const projects = packages.map(({ manifest }) => configOf(manifest.name));
  if (spawnSync('tsc', ['-b', ...projects], { stdio: 'inherit' }).status !== 0) return undefined;
  for (const pkg of packages) {
    const { name } = pkg.manifest;
    const changelog = release?.changelogs.get(name);
    // npm adds LICENSE and README.md by itself, and a NOTICE not.
    const files = [...(pkg.manifest.files ?? []), 'NOTICE', ...(changelog === undefined ? [] : ['CHANGELOG.md'])];
    const repository = release?.repository && { repository: { ...pkg.manifest.repository, url: release.repository } };
    const released = { ...pkg.manifest, version: versions.get(name) ?? '', files, ...repository };
    const manifest = publishedManifest(released, (sibling) => versions.get(sibling));
    writeFileSync(join(outputOf(pkg), 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    if (changelog !== undefined) writeFileSync(join(outputOf(pkg), 'CHANGELOG.md'), changelog);
    bundle(outputOf(pkg), entriesOf(pkg.manifest));
    copyData(pkg);
  }
  return packages;
}

if (import.meta.main) {
  const packages = build();
  if (packages === undefined) {
    report({ command: 'build', passed: 0, failed: 1, skipped: 0 });
    exit(1);
  }
  for (const pkg of packages) console.log(`built ${pkg.manifest.name}`);
  const failures = await smokeOnNode22(packages);
  for (const failure of failures) console.error(failure);
  report({ command: 'build', passed: packages.length - failures.length, failed: failures.length, skipped: 0 });
  exit(failures.length === 0 ? 0 : 1);
}
