/**
 * Layers of an image: files in, one compressed archive out, named by what is in it.
 *
 * Promises: the same files give the same bytes, on any machine and at any time; a layer that was made before is taken
 * from the folder of blobs. A layer that is interrupted leaves nothing that could be taken for one.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createGzip } from 'node:zlib';
import { createTarPacker, type TarHeader } from 'modern-tar';
import { type Blobs, digestOf } from './blobs.ts';

/** One path in a layer. Folders above it follow by themselves. */
export type LayerEntry =
  | { readonly path: string; readonly content: Buffer; readonly isExecutable?: boolean }
  | { readonly path: string; readonly file: string; readonly isExecutable?: boolean }
  | { readonly path: string; readonly target: string };

/** A layer among the blobs. */
export interface Layer {
  /** Of the compressed bytes, which is what registries keep. */
  readonly digest: string;
  readonly size: number;
  /** Of the archive itself, which is what runs. */
  readonly diffId: string;
  /** @default an archive compressed by gzip, as those that are made here */
  readonly mediaType?: string;
}

/** Makes a layer, unless these very files were made into one before. */
export async function makeLayer(entries: readonly LayerEntry[], blobs: Blobs): Promise<Layer> {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const note = `layer-${await contentHash(sorted)}.json`;
  const before = await blobs.note<Layer>(note);
  if (before !== undefined && (await blobs.has(before.digest))) return before;
  const unfinished = blobs.unfinished();
  try {
    const archive = createHash('sha256');
    const compressed = createHash('sha256');
    let size = 0;
    await pipeline(
      tarOf(sorted),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          archive.update(chunk);
          yield chunk;
        }
      },
      createGzip({ level: 9 }),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          // The tenth byte names the system that compressed it: unknown, or no two systems would agree.
          if (size <= 9 && size + chunk.length > 9) chunk[9 - size] = 255;
          compressed.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(unfinished),
    );
    const layer = { digest: digestOf(compressed), size, diffId: digestOf(archive) };
    await rename(unfinished, blobs.path(layer.digest));
    await blobs.writeNote(note, layer);
    return layer;
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function contentHash(entries: readonly LayerEntry[]): Promise<string> {
  const hash = createHash('sha256');
  for (const entry of entries) {
    if ('target' in entry) hash.update(`link ${entry.path} ${entry.target}\n`);
    else hash.update(`${entry.isExecutable ? 'program' : 'file'} ${entry.path} ${await hashOf(entry)}\n`);
  }
  return hash.digest('hex');
}

async function hashOf(entry: { readonly content: Buffer } | { readonly file: string }): Promise<string> {
  const hash = createHash('sha256');
  if ('content' in entry) hash.update(entry.content);
  else for await (const chunk of createReadStream(entry.file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Nothing of this machine gets in: no owner, no time, no order of a directory. */
const nobodyAndNever = { uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) };

function tarOf(entries: readonly LayerEntry[]): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const add = async (header: Omit<TarHeader, 'size'>, content: Buffer | undefined) => {
    const writer = controller.add({ ...nobodyAndNever, size: content?.length ?? 0, ...header }).getWriter();
    if (content !== undefined && content.length > 0) await writer.write(content);
    await writer.close();
  };
  const addAll = async () => {
    for (const name of foldersOf(entries)) await add({ name: `${name}/`, type: 'directory', mode: 0o755 }, undefined);
    for (const entry of entries) {
      const { path: name } = entry;
      if ('target' in entry) await add({ name, type: 'symlink', mode: 0o777, linkname: entry.target }, undefined);
      else {
        const content = 'content' in entry ? entry.content : await readFile(entry.file);
        await add({ name, type: 'file', mode: entry.isExecutable ? 0o755 : 0o644 }, content);
      }
    }
    controller.finalize();
  };
  addAll().catch((error: unknown) => controller.error(error));
  return readable as ReadableStream<Uint8Array>;
}

/** The folders above all entries, each after the one that it is in. */
function foldersOf(entries: readonly LayerEntry[]): readonly string[] {
  const folders = new Set<string>();
  for (const { path } of entries) {
    const parts = path.split('/').slice(0, -1);
    for (let length = 1; length <= parts.length; length += 1) folders.add(parts.slice(0, length).join('/'));
  }
  return [...folders].sort();
}
