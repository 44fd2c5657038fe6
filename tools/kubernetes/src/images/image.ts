/** A container image as one archive with one layer, in the form that `docker save` writes and containerd imports. */
import { createHash } from 'node:crypto';
import { type TarEntry, tar } from './tar.ts';

export interface Image {
  /** Full names: kubelet asks containerd for `docker.io/library/busybox:stable`, however short a pod writes it. */
  readonly tags: readonly [string, ...string[]];
  readonly layer: readonly TarEntry[];
  readonly command: readonly string[];
  readonly user?: string;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

export function imageArchive({ tags, layer, command, user }: Image): Buffer {
  const layerTar = tar(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: architectures[process.arch],
      os: 'linux',
      config: {
        Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
        Cmd: command,
        ...(user && { User: user }),
      },
      rootfs: { type: 'layers', diff_ids: [`sha256:${sha256(layerTar)}`] },
    }),
  );
  const configName = `${sha256(config)}.json`;
  const manifest = Buffer.from(JSON.stringify([{ Config: configName, RepoTags: tags, Layers: ['layer.tar'] }]));
  return tar([
    { type: 'file', name: 'manifest.json', content: manifest },
    { type: 'file', name: configName, content: config },
    { type: 'file', name: 'layer.tar', content: layerTar },
  ]);
}

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
