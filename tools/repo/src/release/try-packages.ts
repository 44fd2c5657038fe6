/**
 * Installs the packages from a registry on this machine into a project to which this checkout does not exist, and uses
 * them there: every entry is imported and its types are checked as Node and as bundlers find them, every command says
 * what it can do.
 */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { importsOf } from '../imports.ts';
import type { Registry } from '../registry.ts';
import { type Package, root } from '../workspace.ts';
import type { Dependency } from './package-mistakes.ts';

/** What came of it. */
export interface Trial {
  /** Sentences, each about something that did not work. */
  readonly failures: readonly string[];
  /** The packages of others that came along. */
  readonly dependencies: readonly Dependency[];
}

/** The folder is removed in the end. */
export async function tryPackages(registry: Registry, packages: readonly Package[]): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-installed-'));
  try {
    const run = runIn(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    writeFileSync(join(folder, '.npmrc'), `@keelson:registry=${registry.url}\n`);
    const failures: string[] = [];
    const attempt = async (what: string, act: () => Promise<unknown>): Promise<boolean> => {
      try {
        await act();
        console.log(`ok      ${what}`);
        return true;
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
        failures.push(`It does not hold that ${what}: ${stdout}${stderr}`);
        return false;
      }
    };
    const install = ['install', '--loglevel=error', '--no-audit', '--no-fund', '--ignore-scripts'];
    const isInstalled = await attempt('they can be installed', () =>
      run('npm', ...install, ...registry.packages, 'zod@4.6.7'),
    );
    if (!isInstalled) return { failures, dependencies: [] };
    const manifest = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
    const dependencies = globSync('**/node_modules/{*,@*/*}/package.json', { cwd: folder })
      .filter((path) => !path.includes('node_modules/@keelson/'))
      .map((path): Dependency => manifest(path));
    const program = writeProgram(folder, registry, packages);
    await attempt('every entry is imported', () => run('node', program));
    for (const name of Object.keys(resolutions)) {
      const project = writeTypes(folder, name);
      await attempt(`the types of every entry fit (${name})`, () => run('tsc', '--project', project));
    }
    for (const name of packages.flatMap(({ manifest: { bin = {} } }) => Object.keys(bin))) {
      await attempt(`${name} --help answers`, () => run(name, '--help'));
    }
    return { failures, dependencies };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With the Node that runs this and the compiler of this checkout, and nothing else of it. */
function runIn(folder: string) {
  const bin = join(folder, '.bin');
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, 'node'));
  symlinkSync(join(root, 'node_modules', '.bin', 'tsc'), join(bin, 'tsc'));
  const others = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
  const path = [bin, join(folder, 'node_modules', '.bin'), ...others].join(delimiter);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm_(?!config_)|INIT_CWD)/.test(name));
  const env = { ...Object.fromEntries(inherited), PATH: path };
  // Not in one breath: the registry answers in this process.
  return (program: string, ...args: readonly string[]) => promisify(execFile)(program, args, { cwd: folder, env });
}

/** Imports every entry. One that `exports` names itself has values; of the files of a pattern, some are types alone. */
function writeProgram(folder: string, { packed }: Registry, packages: readonly Package[]): string {
  const file = join(folder, 'imports.ts');
  const named = packages.flatMap(({ manifest }) => importsOf(manifest, []));
  const entries = packages.flatMap(({ manifest }) => {
    const files = packed.find(({ name }) => name === manifest.name)?.files ?? [];
    const paths = files.map(({ path }) => path);
    return importsOf(manifest, paths);
  });
  const lines = entries.map((entry, i) => `import * as entry${i} from '${entry}';`);
  const checks = entries.map((entry, i) =>
    named.includes(entry)
      ? `if (Object.keys(entry${i}).length === 0) throw new Error('${entry} exports nothing');`
      : `void entry${i};`,
  );
  writeFileSync(file, [...lines, ...checks, ''].join('\n'));
  return file;
}

/** The ways in which TypeScript finds a package. */
const resolutions: Readonly<Record<string, object>> = {
  node16: { module: 'node16' },
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
};

/** Strict, and with the declarations of the packages themselves looked at. */
function writeTypes(folder: string, resolution: string): string {
  const file = join(folder, `tsconfig.${resolution}.json`);
  const compilerOptions = {
    ...resolutions[resolution],
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  writeFileSync(file, JSON.stringify({ compilerOptions, files: ['imports.ts'] }));
  return file;
}
