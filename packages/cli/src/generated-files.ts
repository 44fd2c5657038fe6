/**
 * Generated files on the disk: what has to change, and the change.
 *
 * Promises: a file of the user's is never overwritten or removed, one that is as it should be is not touched, and a write
 * that fails half way is undone. Nothing is written or removed through a symlink.
 */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemRandom } from '@keelson/core/system';
import { type GeneratedFile, isGenerated } from '@keelson/generate';
import { hasCode } from './cluster-kubeconfig.ts';
import { CommandError } from './command-error.ts';
import { isSymlink, refuseSymlinks } from './symlinks.ts';

/** What differs between a file and what was generated. */
export interface FileChange {
  readonly path: string;
  readonly change: 'create' | 'update' | 'remove';
  /** Absent where there is no file. */
  readonly before?: string | undefined;
  /** Absent where there should be none. */
  readonly after?: string | undefined;
}

/**
 * What has to change in a folder, in the order of the paths. In `places` are generated files of which some may no longer
 * be wanted. Refuses to touch what somebody else wrote.
 */
export async function fileChanges(
  folder: string,
  files: readonly GeneratedFile[],
  places: readonly string[],
): Promise<readonly FileChange[]> {
  const wanted = new Set(files.map(({ path }) => path));
  const compared = await Promise.all(files.map((file) => changeOf(folder, file)));
  const foreign = compared.flatMap(({ path, foreign }) => (foreign ? path : []));
  if (foreign.length > 0) {
    const [are, them] = foreign.length === 1 ? ['is', 'it'] : ['are', 'them'];
    const next = `move ${them} away, or choose another folder with --output-dir`;
    throw new CommandError(`${foreign.join(', ')} in ${folder} ${are} not generated, and would be overwritten`, next);
  }
  const leftOver = (await Promise.all(places.map((place) => filesBelow(folder, place))))
    .flat()
    .filter((path) => /\.(yaml|md|json|tpl|txt)$/.test(path) && !wanted.has(path));
  const removed = await Promise.all(
    leftOver.map(async (path): Promise<readonly FileChange[]> => {
      const before = await contentOf(join(folder, path));
      return before !== undefined && isGenerated(before) ? [{ path, change: 'remove', before }] : [];
    }),
  );
  const changes = [...compared.flatMap((each) => each.changes), ...removed.flat()];
  refuseSymlinks(
    folder,
    changes.map(({ path }) => path),
  );
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function changeOf(folder: string, { path, text: after, owner }: GeneratedFile) {
  const before = await contentOf(join(folder, path));
  const isKept = before === after || (owner === 'user' && before !== undefined);
  const change = before === undefined ? ('create' as const) : ('update' as const);
  const foreign = !isKept && before !== undefined && !isGenerated(before);
  return { path, foreign, changes: isKept ? [] : [{ path, change, before, after }] };
}

/** Makes the changes, all or none. */
export async function writeChanges(folder: string, changes: readonly FileChange[]): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  try {
    for (const { path, before, after } of changes) {
      const file = join(folder, path);
      // Before the step: one that fails may have been made all the same.
      const missing = firstMissing(dirname(file));
      if (missing !== undefined) undo.push(() => removeIfThere(missing));
      undo.push(() => restore(file, before));
      if (after === undefined) await rm(file);
      else await replace(file, after);
    }
  } catch (error) {
    const failed: string[] = [];
    for (const each of undo.reverse()) await each().catch((reason: unknown) => failed.push(messageOf(reason)));
    const [problem, next] =
      failed.length === 0
        ? ['nothing was written', 'see who may write there']
        : ['some of it was written', `this could not be undone: ${failed.join(', ')}`];
    throw new CommandError(`${problem}: ${messageOf(error)}`, next, { cause: error });
  }
  const left = new Set(changes.flatMap(({ path, after }) => (after === undefined ? dirname(join(folder, path)) : [])));
  for (const each of left) await rmdir(each).catch(() => {}); // one that is not empty stays, as does any other
}

/** Never half a file, whatever happens. */
async function replace(file: string, text: string): Promise<void> {
  const beside = `${file}.${systemRandom.uuid()}.keelson`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(beside, text, { flag: 'wx' });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

/** As it was; what is so still is not touched. */
async function restore(file: string, before: string | undefined): Promise<void> {
  if ((await contentOf(file)) === before) return;
  if (before === undefined) await rm(file);
  else await replace(file, before);
}

async function removeIfThere(folder: string): Promise<void> {
  if (existsSync(folder)) await rm(folder, { recursive: true });
}

/** The topmost of the folders on the way that are not there. */
function firstMissing(folder: string): string | undefined {
  let missing: string | undefined;
  for (let each = folder; !existsSync(each); each = dirname(each)) missing = each;
  return missing;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`, 'see what it is', { cause: error });
  }
}

/** What a symlink leads to is not below the folder. */
async function filesBelow(folder: string, place: string): Promise<readonly string[]> {
  if (isSymlink(join(folder, place))) return [];
  try {
    const entries = await readdir(join(folder, place), { withFileTypes: true });
    const paths = entries.map(async (entry) => {
      const path = `${place}/${entry.name}`;
      return entry.isDirectory() ? await filesBelow(folder, path) : entry.isFile() ? [path] : [];
    });
    return (await Promise.all(paths)).flat();
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  }
}
