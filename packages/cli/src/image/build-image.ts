/** From a project to an image among the blobs: base, dependencies and program, each a layer that is made by need. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import { CommandError } from '../command-error.ts';
import type { Base } from './base.ts';
import type { Blobs } from './blobs.ts';
import { packageEntries, packagesOf } from './dependencies.ts';
import { type Image, makeImage, operatorFolder } from './image.ts';
import { makeLayer } from './layer.ts';
import type { Platform } from './platform.ts';
import { programEntries } from './program.ts';

export interface BuildOptions {
  /** The folder of package.json. */
  readonly folder: string;
  /** The module that runs the operator. */
  readonly main: string;
  readonly platforms: readonly Platform[];
  readonly baseFor: (platform: Platform) => Promise<Base>;
  /** When it was made, in seconds since 1970. */
  readonly epoch: number;
  readonly blobs: Blobs;
  readonly onStep: (text: string) => void;
}

export async function buildImage(options: BuildOptions): Promise<Image> {
  const { folder, main, blobs, onStep } = options;
  const { name, version, annotations } = await described(folder);
  onStep(`Building ${main}`);
  const program = await makeLayer(await programEntries({ folder, main, prefix: operatorFolder }), blobs);
  const { installed, joined } = packagesOf(folder);
  onStep(`Packing ${installed.length} packages`);
  const layer = await makeLayer(packageEntries(installed, operatorFolder, options.platforms), blobs);
  const bases = new Map<Platform, Base>();
  for (const platform of options.platforms) {
    onStep(`Preparing the base for ${platform.architecture}`);
    bases.set(platform, await options.baseFor(platform));
  }
  const created = new Date(options.epoch * 1000).toISOString().replace('.000Z', 'Z');
  const dependencies = { layer, packages: [...joined, ...installed] };
  return await makeImage({ name, version, annotations, created, bases, dependencies, program, blobs });
}

/** What the image is called where nobody says it, as `keelson generate` has it: the package without its scope, and its version. */
export async function defaultName(folder: string): Promise<string> {
  const { name, version } = await described(folder);
  return `${name.replace(/^@[^/]*\//, '')}:${version.replaceAll('+', '_')}`;
}

/** What package.json says of the project, in the words of images. */
async function described(folder: string) {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  if (!isObject(manifest)) throw new CommandError(`package.json in ${folder} is no JSON object`);
  const text = (name: string) => (typeof manifest[name] === 'string' ? manifest[name] : undefined);
  const { repository } = manifest;
  const source = isObject(repository) ? repository.url : repository;
  const found = {
    title: text('name'),
    description: text('description'),
    version: text('version'),
    licenses: text('license'),
    source: typeof source === 'string' ? source : undefined,
  };
  const annotations = Object.fromEntries(
    Object.entries(found).flatMap(([name, value]) =>
      value === undefined ? [] : [[`org.opencontainers.image.${name}`, value]],
    ),
  );
  return { name: text('name') ?? 'operator', version: text('version') ?? '0.0.0', annotations };
}
