/** Sends an image to a registry: what it does not have yet, and last what names the rest. */
import { readFile } from 'node:fs/promises';
import { isObject } from '@keelson/core';
import { CommandError } from '../command-error.ts';
import type { Blobs } from './blobs.ts';
import { blobsOf, type Descriptor, type Image, indexMediaType } from './image.ts';
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
  const send = async ({ mediaType, digest }: Descriptor, as = digest) =>
    await registry.sendManifest(mediaType, await readFile(blobs.path(digest)), as);
  for (const { descriptor } of image.manifests) await send(descriptor);
  for (const { descriptor, subject } of image.attachments) {
    const { isListed } = await send(descriptor);
    if (!isListed) await listByTag(registry, subject, descriptor);
  }
  await send(image.index, version);
  return { sent, bytes, known: all.length - sent };
}

/** Where a registry does not list what refers to a manifest, a tag made of the manifest's digest does, says OCI. */
async function listByTag(registry: Registry, subject: string, descriptor: Descriptor): Promise<void> {
  const tag = subject.replace(':', '-');
  const before = await registry.findManifest(tag, [indexMediaType]);
  const manifests = before === undefined ? [] : manifestsIn(before, tag);
  if (manifests.some(({ digest }) => digest === descriptor.digest)) return;
  const index = { schemaVersion: 2, mediaType: indexMediaType, manifests: [...manifests, descriptor] };
  await registry.sendManifest(indexMediaType, Buffer.from(JSON.stringify(index)), tag);
}

/** What is listed there already. What somebody else keeps under that tag is not written over. */
function manifestsIn(text: string, tag: string): readonly Descriptor[] {
  const { manifests } = parsed(text);
  if (Array.isArray(manifests)) return manifests as readonly Descriptor[];
  throw new CommandError(
    `under the tag ${tag} the registry has something else than a list of manifests`,
    'take that tag away, and call again: what has arrived is kept',
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
