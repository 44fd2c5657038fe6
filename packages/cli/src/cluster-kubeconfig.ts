/**
 * The kubeconfig of a running cluster, as a file that comes and goes with it.
 *
 * Promises: a file that was not written here is never overwritten nor removed, whatever its content; only its owner can
 * read it, from its first byte on. Ours are recognised by their first line. It holds the key of an administrator, and the
 * folder may be open to others: so what is written goes into a file that is new and has a name that cannot be foreseen,
 * and no link is followed. Nothing here waits for another process, as opening a FIFO would.
 */
import { constants } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { systemRandom } from '@keelson/core/system';

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

/** As much of the file as it takes to recognise ours. */
async function contentOf(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(marker.length), 0, marker.length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw new Error(`${file} cannot be used: ${reasonOf(error)}; name another file.`, { cause: error });
  }
}

/** In one step, so that half of it is never read. A new file is made only if there is still none. */
async function replace(file: string, text: string): Promise<void> {
  const next = join(dirname(file), `.${basename(file)}.${systemRandom.uuid()}`);
  try {
    if ((await contentOf(file)) === undefined) await (await open(file, 'wx', 0o600)).close();
    await writeNew(next, text);
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    const reason = hasCode(error, 'ENOENT') ? `there is no folder ${dirname(file)}` : String(error);
    throw new Error(`${file} cannot be written: ${reason}.`, { cause: error });
  }
}

async function writeNew(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600);
  await handle.writeFile(text);
}

function reasonOf(error: unknown): string {
  if (hasCode(error, 'ELOOP')) return 'it is a link';
  if (hasCode(error, 'EISDIR')) return 'it is a folder';
  if (hasCode(error, 'ENXIO')) return 'it is a socket';
  return error instanceof Error ? error.message : String(error);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}
