/**
 * An image of an operator: a manifest for each platform, one index of them, and a bill of materials for each.
 *
 * Promises: the same project on the same base has the same digest, wherever and whenever the same Node builds it. It runs as a user
 * that is not root, and writes nothing to its own file system.
 */
import { imageEnvironment } from '@keelson/generate/scaffold';
import type { Base } from './base.ts';
import { billMediaType, billOfMaterials } from './bill-of-materials.ts';
import type { Blobs } from './blobs.ts';
import type { InstalledPackage } from './dependencies.ts';
import type { Layer } from './layer.ts';
import type { Platform } from './platform.ts';
import { programFile } from './program.ts';

/** Something that a registry keeps, by its digest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: Platform;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ImageOptions {
  readonly name: string;
  readonly version: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** As `1970-01-01T00:00:00Z`. */
  readonly created: string;
  readonly bases: ReadonlyMap<Platform, Base>;
  /** A layer of those that are installed; the packages are all that the program is made of. */
  readonly dependencies: { readonly layer: Layer; readonly packages: readonly InstalledPackage[] };
  readonly program: Layer;
  readonly blobs: Blobs;
}

/** An image among the blobs. */
export interface Image {
  readonly index: Descriptor;
  /** One for each platform. */
  readonly manifests: readonly Manifest[];
  /** What refers to a manifest and is no part of it. */
  readonly attachments: readonly Attachment[];
}

/** What belongs to the manifest with the digest `subject`. */
interface Attachment extends Manifest {
  readonly subject: string;
}

interface Manifest {
  readonly descriptor: Descriptor;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Where the operator is in its image. */
export const operatorFolder = 'operator';

export const indexMediaType = 'application/vnd.oci.image.index.v1+json';

const types = {
  index: indexMediaType,
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  empty: 'application/vnd.oci.empty.v1+json',
} as const;

export async function makeImage(options: ImageOptions): Promise<Image> {
  const { bases, annotations, blobs } = options;
  const manifests: Manifest[] = [];
  const attachments: Attachment[] = [];
  for (const [platform, base] of bases) {
    const manifest = await platformManifest(platform, base, options);
    manifests.push(manifest);
    attachments.push(await attachedBill(manifest, base, options));
  }
  const index = {
    schemaVersion: 2,
    mediaType: types.index,
    manifests: manifests.map(({ descriptor }) => descriptor),
    annotations,
  };
  return { index: { mediaType: types.index, ...(await blobs.add(json(index))) }, manifests, attachments };
}

async function platformManifest(platform: Platform, base: Base, options: ImageOptions): Promise<Manifest> {
  const { dependencies, program, annotations, created, blobs } = options;
  const layers = [...base.layers, dependencies.layer, program];
  const configuration = {
    created,
    ...platform,
    config: {
      User: '65532:65532',
      WorkingDir: `/${operatorFolder}`,
      Env: environment(base.env),
      Entrypoint: [base.node, `/${operatorFolder}/${programFile}`],
      Labels: annotations,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map((_, i) => ({
      created,
      created_by: `keelson image build: ${i < base.layers.length ? 'base' : i === layers.length - 1 ? 'program' : 'dependencies'}`,
    })),
  };
  const config = { mediaType: types.config, ...(await blobs.add(json(configuration))) };
  const described = layers.map(({ digest, size, mediaType = types.layer }) => ({ mediaType, digest, size }));
  const manifest = { schemaVersion: 2, mediaType: types.manifest, config, layers: described, annotations };
  const descriptor = { mediaType: types.manifest, ...(await blobs.add(json(manifest))), platform };
  return { descriptor, config, layers: described };
}

/** What the base sets itself stays as it is. */
function environment(ofBase: readonly string[]): readonly string[] {
  const isSet = (name: string) => ofBase.some((variable) => variable.startsWith(`${name}=`));
  const ours = Object.entries(imageEnvironment).filter(([name]) => !isSet(name));
  return [...ofBase, ...ours.map(([name, value]) => `${name}=${value}`)];
}

/** A manifest of its own that refers to the image's, which is how registries list what belongs to an image. */
async function attachedBill(subject: Manifest, base: Base, options: ImageOptions): Promise<Attachment> {
  const { name, version, annotations, created, dependencies, blobs } = options;
  const bill = billOfMaterials({
    name,
    version,
    license: annotations['org.opencontainers.image.licenses'],
    created,
    dependencies: dependencies.packages,
    base: base.packages,
  });
  const layer = { mediaType: billMediaType, ...(await blobs.add(bill)) };
  const config = { mediaType: types.empty, ...(await blobs.add(Buffer.from('{}'))) };
  const { mediaType, digest, size } = subject.descriptor;
  const manifest = {
    schemaVersion: 2,
    mediaType: types.manifest,
    artifactType: billMediaType,
    config,
    layers: [layer],
    subject: { mediaType, digest, size },
    annotations: { 'org.opencontainers.image.created': created },
  };
  const descriptor = { mediaType: types.manifest, artifactType: billMediaType, ...(await blobs.add(json(manifest))) };
  return { descriptor, config, layers: [layer], subject: digest };
}

/** Every blob that the image needs, each once: layers and configurations, not manifests. */
export function blobsOf({ manifests, attachments }: Image): readonly Descriptor[] {
  const all = [...manifests, ...attachments].flatMap(({ layers, config }) => [...layers, config]);
  return [...new Map(all.map((each) => [each.digest, each])).values()];
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
