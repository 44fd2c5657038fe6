/** The folder of blobs: what images are made of, by digest, kept from one build to the next. */
import { createHash, type Hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemRandom } from '@keelson/core/system';

export class Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(join(folder, 'sha256'), { recursive: true });
  }

  /** Where the blob of a digest is, if it is there. */
  path(digest: string): string {
    const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
    if (hex === undefined) throw new RangeError(`"${digest}" is no digest that images are made of`);
    return join(this.#folder, 'sha256', hex);
  }

  async has(digest: string): Promise<boolean> {
    return (await stat(this.path(digest)).catch(() => undefined)) !== undefined;
  }

  /** A file that belongs to nobody yet, in the same folder, so that it can be renamed when it is whole. */
  unfinished(): string {
    return join(this.#folder, `unfinished-${systemRandom.uuid()}`);
  }

  /** What was noted about blobs under a name; nothing, if there is no such note, or one that was cut off. */
  async note<T>(name: string): Promise<T | undefined> {
    try {
      return JSON.parse(await readFile(join(this.#folder, name), 'utf8')) as T;
    } catch {
      return undefined;
    }
  }

  async writeNote(name: string, value: unknown): Promise<void> {
    await writeFile(join(this.#folder, name), JSON.stringify(value));
  }

  async add(content: Buffer): Promise<{ readonly digest: string; readonly size: number }> {
    const digest = digestOf(createHash('sha256').update(content));
    const unfinished = this.unfinished();
    try {
      await writeFile(unfinished, content);
      await rename(unfinished, this.path(digest));
    } finally {
      await rm(unfinished, { force: true });
    }
    return { digest, size: content.length };
  }
}

export const digestOf = (hash: Hash): string => `sha256:${hash.digest('hex')}`;

/** Where they are kept: with the caches of this user. */
export function blobsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'keelson', 'images');
}
