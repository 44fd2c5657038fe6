/**
 * What users run: JavaScript of the packages as it is published, and the subjects beside it, so that Node strips no types
 * while we measure.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, dist, publishedManifest } from '../../../tools/repo/src/build.ts';
import { publishedPackages, root } from '../../../tools/repo/src/workspace.ts';

const ofTheClient = ['@keelson/core', '@keelson/client'];

export interface Published extends Disposable {
  /** The folder with the compiled subjects, from where the packages and the peers are found. */
  readonly subjects: string;
}

/** All packages, by `npm run build`. */
export function publishAll(): Published {
  if (build() === undefined) throw new Error('npm run build failed');
  return withSubjects(() => {});
}

/** The client and what it needs, without checking them, which is for others to do. */
export function publishClient(): Published {
  return withSubjects((folder) => {
    for (const pkg of publishedPackages().filter(({ manifest }) => ofTheClient.includes(manifest.name))) {
      const output = join(folder, 'node_modules', pkg.manifest.name);
      compile(join(pkg.folder, 'src'), output);
      writeFileSync(join(output, 'package.json'), JSON.stringify(publishedManifest(pkg.manifest, () => undefined)));
    }
  });
}

/** Compiles the subjects into a folder beside the built packages; it goes when disposed. */
function withSubjects(addPackages: (folder: string) => void): Published {
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, 'bench-'));
  const subjects = join(folder, 'subjects');
  const remove = () => rmSync(folder, { recursive: true });
  try {
    addPackages(folder);
    compile(fileURLToPath(new URL('../subjects', import.meta.url)), subjects);
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
