/**
 * Installs the packages from a registry on this machine into a project to which this checkout does not exist, and uses
 * them there: every entry is imported and its types are checked, every command says what it can do.
 */
import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
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
export async function tryPackages(
  { url, packages: installed }: Registry,
  packages: readonly Package[],
): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-installed-'));
  try {
    const run = runIn(folder);
    writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    writeFileSync(join(folder, '.npmrc'), `@keelson:registry=${url}\n`);
    await run('npm', 'install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...installed, 'zod@4.6.7');
    const manifest = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'));
    const dependencies = globSync('node_modules/{*,@*/*}/package.json', { cwd: folder })
      .filter((path) => !path.startsWith('node_modules/@keelson/'))
      .map((path): Dependency => manifest(path));
    const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['every entry is imported', () => run('node', writeProgram(folder, packages))],
      ['the types of every entry fit', () => run('tsc', '--project', writeTypes(folder))],
      ...packages.flatMap(({ manifest: { bin = {} } }) =>
        Object.keys(bin).map((name) => [`${name} --help answers`, () => run(name, '--help')] as const),
      ),
    ];
    const failures: string[] = [];
    for (const [what, attempt] of attempts) {
      try {
        await attempt();
        console.log(`ok      ${what}`);
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
        failures.push(`It does not hold that ${what}: ${stdout}${stderr}`);
      }
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

function writeProgram(folder: string, packages: readonly Package[]): string {
  const file = join(folder, 'imports.ts');
  const entries = packages.flatMap(({ manifest: { name, exports } }) =>
    Object.keys(exports)
      .filter((path) => !path.includes('*'))
      .map((path) => `${name}${path.slice(1)}`),
  );
  const lines = entries.map((entry, i) => `import * as entry${i} from '${entry}';`);
  const used = `if ([${entries.map((_, i) => `entry${i}`).join(', ')}].some((each) => Object.keys(each).length === 0)) throw new Error('empty');`;
  writeFileSync(file, [...lines, used, ''].join('\n'));
  return file;
}

/** Strict, and with the declarations of the packages themselves looked at. */
function writeTypes(folder: string): string {
  const file = join(folder, 'tsconfig.json');
  const compilerOptions = {
    module: 'nodenext',
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
