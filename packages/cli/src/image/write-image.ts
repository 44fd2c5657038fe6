/** An image as files: a folder in OCI's layout, or one archive that Docker and containerd import. */

import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { createTarPacker } from 'modern-tar';
import type { Blobs } from './blobs.ts';
import { blobsOf, type Image } from './image.ts';
import { parseReference } from './reference.ts';

const layout = Buffer.from('{"imageLayoutVersion":"1.0.0"}');

interface LayoutFile {
  readonly path: string;
  readonly content: Buffer | { readonly file: string };
}

/** The files of OCI's layout. What is attached is listed beside the image, so that it is copied with it. */
function layoutFiles({ image, blobs, name }: WriteOptions): readonly LayoutFile[] {
  const { index, manifests, attachments } = image;
  const { registry, repository, version } = parseReference(name);
  const annotations = {
    'org.opencontainers.image.ref.name': version,
    'io.containerd.image.name': `${registry}/${repository}:${version}`,
  };
  const entries = [{ ...index, annotations }, ...attachments.map(({ descriptor }) => descriptor)];
  const all = [index, ...manifests.map((each) => each.descriptor), ...attachments.map((each) => each.descriptor)];
  return [
    { path: 'oci-layout', content: layout },
    { path: 'index.json', content: Buffer.from(JSON.stringify({ schemaVersion: 2, manifests: entries })) },
    ...[...all, ...blobsOf(image)].map(({ digest }) => ({
      path: `blobs/${digest.replace(':', '/')}`,
      content: { file: blobs.path(digest) },
    })),
  ];
}

export interface WriteOptions {
  readonly image: Image;
  readonly blobs: Blobs;
  /** The reference, such as `my-operator:1.0.0`. */
  readonly name: string;
  /** Replaced when all of it is written. */
  readonly to: string;
}

/** A folder as skopeo, crane and others read it. */
export async function writeFolder(options: WriteOptions): Promise<void> {
  const unfinished = `${options.to}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  try {
    for (const { path, content } of layoutFiles(options)) {
      const target = join(unfinished, path);
      await mkdir(dirname(target), { recursive: true });
      if (Buffer.isBuffer(content)) await writeFile(target, content);
      else await copyFile(content.file, target);
    }
    await rm(options.to, { recursive: true, force: true });
    await rename(unfinished, options.to);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** One file for `docker load` and `ctr images import`: the layout, and Docker's older list of the first platform. */
export async function writeArchive(options: WriteOptions): Promise<void> {
  const { image, name, to } = options;
  const [first] = image.manifests;
  const blobPath = (digest: string) => `blobs/${digest.replace(':', '/')}`;
  const older = [
    {
      Config: blobPath(first?.config.digest ?? ''),
      RepoTags: [name],
      Layers: first?.layers.map(({ digest }) => blobPath(digest)) ?? [],
    },
  ];
  const files = [...layoutFiles(options), { path: 'manifest.json', content: Buffer.from(JSON.stringify(older)) }];
  const unfinished = `${to}.unfinished`;
  await mkdir(dirname(to), { recursive: true });
  const { readable, controller } = createTarPacker();
  const addAll = async () => {
    for (const { path, content } of files) {
      const bytes = Buffer.isBuffer(content) ? content : await readFile(content.file);
      const writer = controller
        .add({ name: path, size: bytes.length, type: 'file', mode: 0o644, mtime: new Date(0) })
        .getWriter();
      await writer.write(bytes);
      await writer.close();
    }
    controller.finalize();
  };
  addAll().catch((error: unknown) => controller.error(error));
  try {
    await pipeline(readable as ReadableStream<Uint8Array>, createWriteStream(unfinished));
    await rename(unfinished, to);
  } finally {
    await rm(unfinished, { force: true });
  }
}
