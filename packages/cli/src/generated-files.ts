/**
 * Generated files on the disk: what has to change, and the change.
 *
 * Promises: a file of the user's is never overwritten or removed, one that is as it should be is not touched, and a write
 * that fails half way is undone.
 */
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type GeneratedFile, isGenerated } from '@keelson/generate';
import { hasCode } from './cluster-kubeconfig.ts';
import { CommandError } from './command-error.ts';

/** What differs between a file and what was generated. */
export interface FileChange {
  readonly path: string;
  readonly change: 'create' | 'update' | 'remove';
  /** Absent where there is no file. */
  readonly before?: string | undefined;
  /** Absent where there should be none. */
  readonly after?: string | undefined;
}

/** Where generated files can be, of which some may no longer be wanted. */
const places = ['config', 'dist', 'docs'] as const;

/** What has to change in a folder, in the order of the paths. Refuses to touch what somebody else wrote. */
export async function fileChanges(folder: string, files: readonly GeneratedFile[]): Promise<readonly FileChange[]> {
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
    .filter((path) => /\.(yaml|md)$/.test(path) && !wanted.has(path));
  const removed = await Promise.all(
    leftOver.map(async (path): Promise<readonly FileChange[]> => {
      const before = await contentOf(join(folder, path));
      return before !== undefined && isGenerated(before) ? [{ path, change: 'remove', before }] : [];
    }),
  );
  return [...compared.flatMap(({ changes }) => changes), ...removed.flat()].sort((a, b) => (a.path < b.path ? -1 : 1));
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
      if (after === undefined) {
        await rm(file);
        await removeEmpty(dirname(file));
      } else {
        const made = await mkdir(dirname(file), { recursive: true });
        if (made !== undefined) undo.push(() => rm(made, { recursive: true, force: true }));
        await replace(file, after);
      }
      undo.push(() => (before === undefined ? rm(file, { force: true }) : restore(file, before)));
    }
  } catch (error) {
    for (const each of undo.reverse()) await each();
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`nothing was written: ${reason}`, 'see who may write there', { cause: error });
  }
}

/** Never half a file, whatever happens. */
async function replace(file: string, text: string): Promise<void> {
  const beside = `${file}.keelson`;
  try {
    await writeFile(beside, text);
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function restore(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY')) throw error;
  }
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file} cannot be read: ${reason}`, 'see what it is', { cause: error });
  }
}

async function filesBelow(folder: string, place: string): Promise<readonly string[]> {
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
