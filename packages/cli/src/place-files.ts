/**
 * Puts files into a project so that an interruption at any moment leaves nothing that looks whole and is not.
 *
 * Promises: everything is written to a folder beside its place first, and moved from there. A new folder appears in one
 * step, with all its files. In a folder that exists, package.json comes last: without it there is no project yet, and
 * what an interrupted call has left there does not stand in the way of the same call. Nothing is ever overwritten but
 * the one file that is named, which is replaced in one step, last: until then the same call finishes this, too. Nothing
 * is written through a symlink but the folder itself. What fails is undone.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { ScaffoldFile } from '@keelson/generate/scaffold';
import { hasCode, isAlive } from './cluster-kubeconfig.ts';
import { CommandError } from './command-error.ts';
import { isSymlink, refuseSymlinks } from './symlinks.ts';

const prefix = '.keelson-unfinished-';

/** A folder with these files and no others. One that exists must be empty, but for `.git`. */
export function placeProject(target: string, files: readonly ScaffoldFile[]): void {
  refuseForeign(target, files);
  const parent = existsSync(target) ? target : dirname(target);
  if (!existsSync(parent)) throw new CommandError(`there is no folder ${parent}`, 'make it, or name another one');
  explained(parent, () => {
    removeLeftovers(parent);
    using stage = stageIn(parent, files);
    if (parent !== target) renameSync(stage.folder, target);
    else moveAll(files, stage.folder, target, 'package.json');
  });
}

/** These files beside those that are there; the last one replaces the one of its name. */
export function placeFiles(folder: string, files: readonly ScaffoldFile[], replaced: ScaffoldFile): void {
  refuseSymlinks(
    folder,
    [...files, replaced].map(({ path }) => path),
  );
  const left = leftIn(folder, files, replaced);
  const existing = files.filter((file) => !left.includes(file) && existsSync(join(folder, file.path)));
  if (existing.length > 0) {
    const [exist, them] = existing.length === 1 ? ['exists', 'it'] : ['exist', 'them'];
    throw new CommandError(
      `${existing.map(({ path }) => path).join(', ')} ${exist} already`,
      `nothing was written; remove ${them} and call again to have ${them} made anew`,
    );
  }
  explained(folder, () => {
    removeLeftovers(folder);
    const all = [...files.filter((file) => !left.includes(file)), replaced];
    using stage = stageIn(folder, all);
    moveAll(all, stage.folder, folder, replaced.path);
  });
}

/** Those that the same call has put there before it was interrupted: the last file is not replaced yet. */
export function leftIn(
  folder: string,
  files: readonly ScaffoldFile[],
  replaced: ScaffoldFile,
): readonly ScaffoldFile[] {
  return has(folder, replaced) ? [] : files.filter((file) => has(folder, file));
}

const has = (folder: string, { path, text }: ScaffoldFile): boolean =>
  existsSync(join(folder, path)) && readFileSync(join(folder, path), 'utf8') === text;

function refuseForeign(target: string, files: readonly ScaffoldFile[]): void {
  if (!existsSync(target)) {
    if (isSymlink(target)) throw new CommandError(`${target} is a symlink that leads nowhere`, 'name a folder');
    return;
  }
  if (!statSync(target).isDirectory()) throw new CommandError(`${target} is a file`, 'name a folder');
  const entries = readdirSync(target).filter((entry) => entry !== '.git' && !entry.startsWith(prefix));
  const isOurs = (path: string) =>
    !entries.includes('package.json') &&
    !isSymlink(join(target, path)) &&
    files.some((file) => file.path === path && has(target, file));
  const foreign = entries.filter((entry) => !filesBelow(target, entry).every(isOurs));
  if (foreign.length === 0) return;
  const shown = foreign.slice(0, 5).join(', ') + (foreign.length > 5 ? ` and ${foreign.length - 5} more` : '');
  throw new CommandError(`${target} is not empty: it has ${shown}`, 'name a new folder, or empty this one');
}

function filesBelow(folder: string, path: string): readonly string[] {
  if (!lstatSync(join(folder, path)).isDirectory()) return [path];
  return readdirSync(join(folder, path)).flatMap((entry) => filesBelow(folder, `${path}/${entry}`));
}

/** Beside the place of the files, so that a move is one step; gone in the end, unless the process is killed. */
function stageIn(parent: string, files: readonly ScaffoldFile[]): Disposable & { readonly folder: string } {
  const folder = join(parent, `${prefix}${process.pid}`);
  mkdirSync(folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { flag: 'wx' });
    }
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, [Symbol.dispose]: remove };
}

/** One after the other, `last` in the end; if one cannot be moved, those before it go again. */
function moveAll(files: readonly ScaffoldFile[], from: string, to: string, last: string): void {
  const made: string[] = [];
  const paths = files.map(({ path }) => path).filter((path) => path !== last);
  try {
    for (const path of [...paths, last]) {
      const folder = mkdirSync(dirname(join(to, path)), { recursive: true });
      if (folder !== undefined) made.push(folder);
      renameSync(join(from, path), join(to, path));
      made.push(join(to, path));
    }
  } catch (error) {
    for (const path of made.reverse()) rmSync(path, { recursive: true, force: true });
    throw error;
  }
}

/** Of processes that were killed. */
function removeLeftovers(parent: string): void {
  for (const entry of readdirSync(parent)) {
    const pid = entry.startsWith(prefix) ? Number(entry.slice(prefix.length)) : Number.NaN;
    if (pid === process.pid || (pid > 0 && !isAlive(pid)))
      rmSync(join(parent, entry), { recursive: true, force: true });
  }
}

function explained(folder: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const isDenied = ['EACCES', 'EPERM', 'EROFS'].some((code) => hasCode(error, code));
    const reason = isDenied ? 'permission denied' : error.message;
    throw new CommandError(`${folder} cannot be written to: ${reason}`, 'nothing was written', { cause: error });
  }
}
