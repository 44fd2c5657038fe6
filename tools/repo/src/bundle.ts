/**
 * Joins the modules of a built package: one file for each entry, and chunks for what entries share or load late.
 *
 * Other packages stay what they are, imported by name, so that every package exists once in a process. Declarations are
 * left as the compiler wrote them.
 */
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/** @param entries what can be loaded from outside, as the exports map names it, such as `./index.js` or `./v1/*.js` */
export function bundle(folder: string, entries: readonly string[]): void {
  const patterns = entries.map((entry) => entry.slice('./'.length).replace('*', '**/*'));
  const { metafile } = buildSync({
    absWorkingDir: folder,
    entryPoints: globSync(patterns, { cwd: folder }).sort(),
    outdir: '.',
    outbase: '.',
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    metafile: true,
  });
  const unreached = globSync('**/*.js', { cwd: folder }).filter((file) => !(file in metafile.outputs));
  for (const file of unreached) rmSync(join(folder, file));
}
