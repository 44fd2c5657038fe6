/** Sends an image to a registry: what it does not have yet, and last what names the rest. */
import { readFile } from 'node:fs/promises';
import type { Blobs } from './blobs.ts';
import { blobsOf, type Image } from './image.ts';
import type { Registry } from './registry.ts';
import type { OnTransfer } from './steps.ts';

export interface Pushed {
  /** How many blobs were sent, and how many bytes they have. */
  readonly sent: number;
  readonly bytes: number;
  /** How many the registry had already. */
  readonly known: number;
}

export async function pushImage(
  image: Image,
  {
    registry,
    version,
    blobs,
    onTransfer,
  }: {
    readonly registry: Registry;
    readonly version: string;
    readonly blobs: Blobs;
    readonly onTransfer: OnTransfer;
  },
): Promise<Pushed> {
  let sent = 0;
  let bytes = 0;
  const all = blobsOf(image);
  for (const [i, blob] of all.entries()) {
    if (await registry.hasBlob(blob)) continue;
    const what = `Sending blob ${i + 1} of ${all.length}`;
    onTransfer(what, 0, blob.size);
    await registry.sendBlob(blob, blobs.path(blob.digest), (bytes) => onTransfer(what, bytes, blob.size));
    sent += 1;
    bytes += blob.size;
  }
  for (const { descriptor } of [...image.manifests, ...image.attachments]) {
    await registry.sendManifest(descriptor, await readFile(blobs.path(descriptor.digest)), descriptor.digest);
  }
  await registry.sendManifest(image.index, await readFile(blobs.path(image.index.digest)), version);
  return { sent, bytes, known: all.length - sent };
}
