/** Files are written where they seem to be: below their folder, and not where a symlink leads. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './command-error.ts';

/** Refuses paths of which a part below the folder is a symlink, the last included; where that leads makes no difference. */
export function refuseSymlinks(folder: string, paths: readonly string[]): void {
  const found = [...new Set(paths.flatMap((path) => symlinkIn(folder, path) ?? []))];
  if (found.length === 0) return;
  const [are, them] = found.length === 1 ? ['is a symlink', 'it'] : ['are symlinks', 'them'];
  throw new CommandError(
    `${found.join(', ')} in ${folder} ${are}, through which nothing is written`,
    `put what is meant in place of ${them}`,
  );
}

export const isSymlink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;

function symlinkIn(folder: string, path: string): string | undefined {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count += 1) {
    const part = parts.slice(0, count).join('/');
    const found = lstatSync(join(folder, part), { throwIfNoEntry: false });
    if (found?.isSymbolicLink()) return part;
    if (!found?.isDirectory()) return undefined;
  }
  return undefined;
}
