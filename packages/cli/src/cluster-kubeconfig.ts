/**
 * The kubeconfig of a running cluster, as a file that comes and goes with it.
 *
 * Promises: a file that was not written here is never overwritten nor removed, whatever its content, nor is that of a
 * cluster that still runs; only its owner can read it, from its first byte on. Ours are recognised by their first line,
 * which names the process. It holds the key of an administrator, and the
 * folder may be open to others: so what is written goes into a file that is new and has a name that cannot be foreseen,
 * and no link is followed. Nothing here waits for another process, as opening a FIFO would.
 */
import { constants } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { systemRandom } from '@keelson/core/system';

const marker = '# Written by keelson, and removed when the cluster ends: process ';
const own = `${marker}${process.pid}\n`;
/** Longer than any number of a process. */
const headLength = marker.length + 20;

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
      await replace(file, own + text);
    },
    async [Symbol.asyncDispose]() {
      if ((await headOf(file))?.startsWith(own)) await rm(file, { force: true });
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function requireOurs(file: string): Promise<void> {
  const head = await headOf(file);
  if (head === undefined) return;
  if (!head.startsWith(marker)) {
    throw new Error(`${file} exists and was not written by keelson; remove it or name another file.`);
  }
  const pid = Number.parseInt(head.slice(marker.length), 10);
  if (pid === process.pid || !isAlive(pid)) return;
  throw new Error(`${file} is used by another cluster, process ${pid}; end that one or name another file.`);
}

/** What ended without a goodbye left its file behind. */
export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM'); // it is there, and someone else's
  }
}

/** As much of the file as it takes to recognise ours, and whose it is. */
async function headOf(file: string): Promise<string | undefined> {
  try {
    await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) throw new Error('it is not a regular file');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headLength), 0, headLength, 0);
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
    if ((await headOf(file)) === undefined) await (await open(file, 'wx', 0o600)).close();
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
