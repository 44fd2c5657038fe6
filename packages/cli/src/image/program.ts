/**
 * The program of a project as JavaScript: its own modules and those of its workspace, joined.
 *
 * Packages that are installed stay imports by name. A change of one source line changes this layer alone, which has a
 * few hundred kilobytes.
 */
import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { CommandError } from '../command-error.ts';
import type { LayerEntry } from './layer.ts';

export interface ProgramOptions {
  /** The folder of package.json. */
  readonly folder: string;
  /** The module that runs the operator, such as `src/main.ts`. */
  readonly main: string;
  /** Where the program goes in the image. */
  readonly prefix: string;
}

/** The file in the image that Node is started with. */
export const programFile = 'main.js';

export async function programEntries({ folder, main, prefix }: ProgramOptions): Promise<readonly LayerEntry[]> {
  const { build } = await import('esbuild');
  const outdir = join(folder, '.image');
  const result = await build({
    absWorkingDir: folder,
    entryPoints: { main: join(folder, main) },
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    keepNames: true,
    chunkNames: 'chunks/[name]-[hash]',
    write: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'installed packages stay imports',
        setup(plugin) {
          plugin.onResolve({ filter: /^[^./#]/ }, async (args) => {
            if (args.pluginData === 'asked' || args.kind === 'entry-point') return undefined;
            const { path, errors } = await plugin.resolve(args.path, {
              kind: args.kind,
              importer: args.importer,
              resolveDir: args.resolveDir,
              pluginData: 'asked',
            });
            if (errors.length > 0) return { errors };
            const isOwn = path.startsWith(sep) && !realpathSync(path).split(sep).includes('node_modules');
            return isOwn ? undefined : { path: args.path, external: true };
          });
        },
      },
    ],
  }).catch((error: Error) => {
    throw new CommandError(`${main} cannot be built: ${error.message}`);
  });
  const files = result.outputFiles.map(({ path, contents }) => ({
    path: `${prefix}/${relative(outdir, path).split(sep).join('/')}`,
    content: Buffer.from(contents),
  }));
  // Node must know that these are modules; nothing else of the project's package.json matters here.
  return [...files, { path: `${prefix}/package.json`, content: Buffer.from('{"type":"module"}\n') }];
}
