/** What `keelson chart package` and `keelson chart push` do. */
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { hasCode } from '../cluster-kubeconfig.ts';
import { UsageError } from '../command-error.ts';
import { Blobs, blobsFolder } from '../image/blobs.ts';
import { epochOf } from '../image/epoch.ts';
import { pushImage } from '../image/push-image.ts';
import { parseReference } from '../image/reference.ts';
import { Registry } from '../image/registry.ts';
import { working } from '../image/run.ts';
import { megabytes } from '../image/steps.ts';
import type { Shell } from '../shell.ts';
import { type ChartArchive, chartArchive } from './archive.ts';
import { withChart } from './chart-index.ts';

export interface ChartPackageFlags {
  readonly chart: string;
  readonly to: string;
  readonly url?: string;
}

export interface ChartPushFlags {
  readonly chart: string;
  /** The one registry to which HTTP is spoken. */
  readonly plainHttp?: string;
}

export async function packageChart(flags: ChartPackageFlags, shell: Shell): Promise<void> {
  const blobs = new Blobs(blobsFolder(shell.env));
  const archive = await chartArchive(resolve(shell.cwd, flags.chart), blobs);
  const to = resolve(shell.cwd, flags.to);
  const file = `${archive.metadata.name}-${archive.metadata.version}.tgz`;
  const index = join(to, 'index.yaml');
  const created = new Date(epochOf(shell.env.SOURCE_DATE_EPOCH) * 1000).toISOString().replace('.000', '');
  const url = flags.url === undefined ? file : `${flags.url.replace(/\/+$/, '')}/${file}`;
  const listed = withChart(await readIndex(index), { archive, url, created });
  await mkdir(to, { recursive: true });
  // The index comes last, and each in one step: whoever reads it finds what it names.
  await copyFile(blobs.path(archive.digest), `${join(to, file)}.unfinished`);
  await rename(`${join(to, file)}.unfinished`, join(to, file));
  await writeFile(`${index}.unfinished`, listed);
  await rename(`${index}.unfinished`, index);
  shell.out(`${relative(shell.cwd, join(to, file))}  ${megabytes(archive.size)}\n${archive.digest}\n`);
}

async function readIndex(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export async function pushChart(place: string, flags: ChartPushFlags, shell: Shell): Promise<void> {
  const [, to] = /^oci:\/\/(.+?)\/*$/.exec(place) ?? [];
  if (to === undefined)
    throw new UsageError(`"${place}" is no place for a chart`, 'write it as oci://registry.example.com/charts');
  const told = await working(shell, async ({ signal, steps: { onTransfer } }) => {
    const blobs = new Blobs(blobsFolder(shell.env));
    const archive = await chartArchive(resolve(shell.cwd, flags.chart), blobs);
    const { name, version } = archive.metadata;
    // As Helm writes it: a tag takes no "+".
    const text = `${to}/${name}:${version.replaceAll('+', '_')}`;
    const reference = parseReference(text);
    const isPlain = flags.plainHttp === reference.registry;
    const registry = new Registry(reference, { isPlain, env: shell.env, signal });
    const artifact = await chartArtifact(archive, blobs);
    await pushImage(artifact, { registry, version: reference.version, blobs, onTransfer });
    return `oci://${text}  ${megabytes(archive.size)}\n${artifact.index.digest}\n`;
  });
  shell.out(told);
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';

/** What a registry keeps of a chart: one manifest, with what Chart.yaml says and the archive. */
async function chartArtifact({ metadata, digest, size }: ChartArchive, blobs: Blobs) {
  const json = (value: unknown) => blobs.add(Buffer.from(JSON.stringify(value)));
  const config = { mediaType: 'application/vnd.cncf.helm.config.v1+json', ...(await json(metadata)) };
  const layer = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', digest, size };
  const manifest = {
    schemaVersion: 2,
    mediaType: manifestType,
    config,
    layers: [layer],
    annotations: {
      'org.opencontainers.image.title': metadata.name,
      'org.opencontainers.image.version': metadata.version,
      ...(typeof metadata.description === 'string' && {
        'org.opencontainers.image.description': metadata.description,
      }),
    },
  };
  const descriptor = { mediaType: manifestType, ...(await json(manifest)) };
  return { index: descriptor, manifests: [{ descriptor, config, layers: [layer] }], attachments: [] };
}
