/**
 * What a user of the client runs: JavaScript of `@keelson/core` and `@keelson/client` as it is published, and the
 * subjects beside it, so that Node strips no types while we measure.
 *
 * Only these two packages are compiled, and without checking them, which is for others to do.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publishedManifest } from '../../../tools/repo/src/build.ts';
import { publishedPackages, root } from '../../../tools/repo/src/workspace.ts';

const names = ['@keelson/core', '@keelson/client'];

export interface Published extends Disposable {
  /** The folder with the compiled subjects, from where both packages and the peer are found. */
  readonly subjects: string;
}

/** Compiles them into a folder inside the checkout, where third-party packages are found; it goes when disposed. */
export function publish(): Published {
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, 'bench-'));
  const subjects = join(folder, 'subjects');
  const remove = () => rmSync(folder, { recursive: true });
  try {
    for (const pkg of publishedPackages().filter(({ manifest }) => names.includes(manifest.name))) {
      const output = join(folder, 'node_modules', pkg.manifest.name);
      compile(join(pkg.folder, 'src'), output);
      writeFileSync(join(output, 'package.json'), JSON.stringify(publishedManifest(pkg.manifest, () => undefined)));
    }
    compile(fileURLToPath(new URL('./subjects', import.meta.url)), subjects);
  } catch (error) {
    remove();
    throw error;
  }
  return { subjects, [Symbol.dispose]: remove };
}

function compile(source: string, output: string): void {
  mkdirSync(output, { recursive: true });
  const project = join(output, 'tsconfig.json');
  const compilerOptions = {
    noCheck: true,
    noResolve: true, // each file by itself: what it imports is compiled on its own, or elsewhere
    rewriteRelativeImportExtensions: true,
    rootDir: source,
    outDir: output,
  };
  const config = {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions,
    include: [source],
    exclude: [join(source, '**/*.test.ts')],
  };
  writeFileSync(project, JSON.stringify(config));
  const { status, stdout, stderr } = spawnSync('tsc', ['-p', project], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`tsc could not compile ${source}: ${stdout}${stderr}`);
}
