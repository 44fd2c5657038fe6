/** What `keelson image build` and `keelson image push` do. */
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { CommandError, UsageError } from '../command-error.ts';
import { findOperator } from '../operator-module.ts';
import { progress, type Shell } from '../shell.ts';
import type { Base } from './base.ts';
import { Blobs, blobsFolder } from './blobs.ts';
import { buildImage, defaultName } from './build-image.ts';
import type { ImageBuildFlags, ImageFlags } from './flags.ts';
import type { Image } from './image.ts';
import { type Platform, platformName, platforms } from './platform.ts';
import { megabytes, pushImage } from './push-image.ts';
import { parseReference } from './reference.ts';
import { Registry } from './registry.ts';

export async function buildToFiles(flags: ImageBuildFlags, shell: Shell): Promise<void> {
  const { folder, image, blobs } = await built(flags, shell);
  const isFolder = flags.output === 'oci-dir';
  const to =
    flags.to === undefined ? join(folder, 'dist', isFolder ? 'image' : 'image.tar') : resolve(shell.cwd, flags.to);
  if (isFolder) await refuseForeignFolder(to);
  const name = flags.tag ?? (await defaultName(folder));
  parseReference(name);
  const { writeArchive, writeFolder } = await import('./write-image.ts');
  await (isFolder ? writeFolder : writeArchive)({ image, blobs, name, to });
  shell.out(`${relative(shell.cwd, to) || to}  ${sizes(image)}\n${image.index.digest}\n`);
}

export async function buildAndPush(text: string, flags: ImageFlags, shell: Shell): Promise<void> {
  const { image, sent } = await pushed(text, flags, shell);
  shell.out(`${text}  ${sizes(image)}; ${sent}\n${image.index.digest}\n`);
}

/** Builds the image and sends it; tells its digest, and in words what was sent. */
export async function pushed(text: string, flags: ImageFlags, shell: Shell) {
  const reference = parseReference(text);
  if (reference.version.startsWith('sha256:')) {
    throw new UsageError(`"${text}" ends with a digest, which nobody can choose`, 'give a tag');
  }
  const { image, blobs, signal } = await built(flags, shell);
  const registry = new Registry(reference, { isPlain: flags.plainHttp === reference.registry, env: shell.env, signal });
  const { version } = reference;
  const done = await pushImage(image, { registry, version, blobs, onStep: (step) => progress(shell, step) });
  const sent = `${done.sent} blobs sent, ${megabytes(done.bytes)}; ${done.known} were there`;
  return { image, digest: image.index.digest, sent };
}

async function built(flags: ImageFlags, shell: Shell) {
  const signal = shell.stopSignal();
  const wanted = flags.platform.split(',').map(platformOf);
  const {
    file,
    folder,
    main = join(dirname(file), 'main.ts'),
  } = await findOperator({
    cwd: shell.cwd,
    operator: flags.operator,
  });
  if ((await stat(main).catch(() => undefined)) === undefined) {
    throw new CommandError(`there is no ${main}, which would run the operator`, 'name it as "bin" in package.json');
  }
  const blobs = new Blobs(blobsFolder(shell.env));
  const image = await buildImage({
    folder,
    main: relative(folder, main),
    platforms: wanted,
    baseFor: (platform) => baseFor(platform, { flags, shell, blobs, signal }),
    epoch: epochOf(shell.env.SOURCE_DATE_EPOCH),
    blobs,
    onStep: (step) => {
      signal.throwIfAborted();
      progress(shell, step);
    },
  });
  return { folder, image, blobs, signal };
}

interface BaseContext {
  readonly flags: ImageFlags;
  readonly shell: Shell;
  readonly blobs: Blobs;
  readonly signal: AbortSignal;
}

async function baseFor(platform: Platform, { flags, shell, blobs, signal }: BaseContext): Promise<Base> {
  const { base, nodeVersion = process.versions.node, freshBase: isFresh = false } = flags;
  if (base === 'packages') {
    const { packageBase } = await import('./package-base.ts');
    return await packageBase({ platform, nodeVersion, blobs, isFresh, env: shell.env, signal });
  }
  const { registryBase } = await import('./registry-base.ts');
  const reference = parseReference(base);
  const isPlain = flags.plainHttp === reference.registry;
  const registry = new Registry(reference, { isPlain, env: shell.env, signal });
  return await registryBase({ platform, registry, version: reference.version, blobs });
}

function platformOf(text: string): Platform {
  const found = platforms.find((each) => platformName(each) === text);
  if (found !== undefined) return found;
  throw new UsageError(`there is no image for ${text}`, `choose from ${platforms.map(platformName).join(' and ')}`);
}

function epochOf(text = '0'): number {
  if (/^\d{1,11}$/.test(text)) return Number(text);
  throw new UsageError(`SOURCE_DATE_EPOCH must be seconds since 1970, not "${text}"`);
}

/** Writing replaces the folder, so it must be an image, or not be there. */
async function refuseForeignFolder(to: string): Promise<void> {
  const isThere = (path: string) => stat(path).catch(() => undefined);
  if ((await isThere(to)) === undefined || (await isThere(join(to, 'oci-layout'))) !== undefined) return;
  throw new CommandError(`${to} is there, and is no image`, 'choose another place with --to');
}

function sizes(image: Image): string {
  const [first] = image.manifests;
  const bytes = (first?.layers ?? []).reduce((sum, { size }) => sum + size, 0);
  const which = image.manifests.length === 1 ? '1 platform' : `${image.manifests.length} platforms`;
  return `${which}, ${megabytes(bytes)} to pull`;
}
