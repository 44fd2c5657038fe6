/** A base that is pulled: an image of a registry that has Node on its path, for each platform. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { CommandError } from '../command-error.ts';
import type { Base } from './base.ts';
import { type Blobs, digestOf } from './blobs.ts';
import type { Descriptor } from './image.ts';
import { type Platform, platformName } from './platform.ts';
import type { Registry } from './registry.ts';
import type { OnTransfer } from './steps.ts';

const lists = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
] as const;
const manifests = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;
const dockerLayer = 'application/vnd.docker.image.rootfs.diff.tar.gzip';
const ociLayer = 'application/vnd.oci.image.layer.v1.tar+gzip';

interface PulledConfig {
  readonly config?: { readonly Env?: readonly string[] };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

export interface RegistryBaseOptions {
  readonly platform: Platform;
  readonly registry: Registry;
  /** Registry and repository, such as `docker.io/library/node`. */
  readonly name: string;
  /** Its tag or digest. */
  readonly version: string;
  readonly blobs: Blobs;
  readonly onTransfer: OnTransfer;
}

export async function registryBase(options: RegistryBaseOptions): Promise<Base> {
  const { platform, registry, name, version, blobs, onTransfer } = options;
  const top = JSON.parse(await registry.manifest(version, [...lists, ...manifests])) as {
    readonly manifests?: readonly Descriptor[];
  };
  const chosen = top.manifests?.find(
    (each) => each.platform?.os === platform.os && each.platform.architecture === platform.architecture,
  );
  if (top.manifests !== undefined && chosen === undefined) {
    throw new CommandError(`the base image is not there for ${platformName(platform)}`, 'choose another with --base');
  }
  const manifest = await registry.manifest(chosen?.digest ?? version, manifests);
  const { config, layers } = JSON.parse(manifest) as {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  };
  for (const [i, each] of [config, ...layers].entries()) {
    const what = `Fetching blob ${i + 1} of ${layers.length + 1} of the base for ${platform.architecture}`;
    await registry.fetchBlob(each, blobs, (bytes) => onTransfer(what, bytes, each.size));
  }
  const pulled = JSON.parse(await readFile(blobs.path(config.digest), 'utf8')) as PulledConfig;
  const env = pulled.config?.Env ?? [];
  const [, nodeVersion] = env.map((each) => /^NODE_VERSION=v?(.+)$/.exec(each)).find((found) => found !== null) ?? [];
  return {
    layers: layers.map(({ digest, size, mediaType }, i) => ({
      digest,
      size,
      diffId: pulled.rootfs.diff_ids[i] ?? '',
      mediaType: mediaType === dockerLayer ? ociLayer : mediaType, // the bytes are the same
    })),
    env,
    node: 'node',
    // What else is in it is for its own bill of materials to say.
    packages: [
      { name, version: digestOf(createHash('sha256').update(manifest)), purl: 'oci' },
      ...(nodeVersion === undefined
        ? []
        : [{ name: 'node', version: nodeVersion, purl: 'generic', license: 'MIT' } as const]),
    ],
  };
}
