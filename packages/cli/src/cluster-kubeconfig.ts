/**
 * The kubeconfig of a running cluster, as a file that comes and goes with it.
 *
 * Promises: a file that was not written here is never overwritten nor removed, whatever its content; only its owner can
 * read it. Ours are recognised by their first line.
 */
import { mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const marker = '# Written by "keelson cluster start", and removed when that ends.\n';

export interface KubeconfigFile extends AsyncDisposable {
  readonly path: string;
  write(text: string): Promise<void>;
}

/** Refuses a file of someone else. Without a path: one in a folder of its own. */
export async function claimKubeconfig(path: string | undefined): Promise<KubeconfigFile> {
  const folder = path === undefined ? await mkdtemp(join(tmpdir(), 'keelson-')) : undefined;
  const file = folder === undefined ? resolve(path ?? '') : join(folder, 'kubeconfig');
  await requireOurs(file);
  return {
    path: file,
    async write(text) {
      await requireOurs(file);
      await replace(file, marker + text);
    },
    async [Symbol.asyncDispose]() {
      if ((await contentOf(file))?.startsWith(marker)) await rm(file, { force: true });
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function requireOurs(file: string): Promise<void> {
  const content = await contentOf(file);
  if (content === undefined || content.startsWith(marker)) return;
  throw new Error(`${file} exists and was not written by "keelson cluster start"; remove it or name another file.`);
}

async function contentOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new Error(`${file} cannot be read: ${String(hasCode(error, 'EISDIR') ? 'it is a folder' : error)}.`);
  }
}

/** In one step, so that nobody reads half of it. A new file is made only if there is still none. */
async function replace(file: string, text: string): Promise<void> {
  const next = `${file}.${process.pid}`;
  try {
    if ((await contentOf(file)) === undefined) await (await open(file, 'wx', 0o600)).close();
    await writeFile(next, text, { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    const reason = hasCode(error, 'ENOENT') ? `there is no folder ${dirname(file)}` : String(error);
    throw new Error(`${file} cannot be written: ${reason}.`, { cause: error });
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
