/** What `keelson image build` and `keelson image push` do. */
import { stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { hasCode } from '../cluster-kubeconfig.ts';
import { CommandError, UsageError } from '../command-error.ts';
import type { OutputFlags } from '../flags.ts';
import { findOperator } from '../operator-module.ts';
import { json } from '../print.ts';
import type { Shell } from '../shell.ts';
import type { Base } from './base.ts';
import { Blobs, blobsFolder } from './blobs.ts';
import { buildImage, defaultName } from './build-image.ts';
import { epochOf } from './epoch.ts';
import type { ImageBuildFlags, ImageFlags } from './flags.ts';
import type { Image } from './image.ts';
import { type Platform, platformName, platforms } from './platform.ts';
import { type Pushed, pushImage } from './push-image.ts';
import { parseReference } from './reference.ts';
import { Registry } from './registry.ts';
import { NetworkError } from './registry-failure.ts';
import { megabytes, type OnTransfer, type Steps, stepsOf } from './steps.ts';

export async function buildToFiles(flags: ImageBuildFlags, shell: Shell): Promise<void> {
  const isFolder = flags.output === 'oci-dir';
  const { image, to } = await working(shell, async (work) => {
    const { folder, image, blobs } = await built(flags, work);
    const to =
      flags.to === undefined ? join(folder, 'dist', isFolder ? 'image' : 'image.tar') : resolve(shell.cwd, flags.to);
    if (isFolder) await refuseForeignFolder(to);
    const name = flags.tag ?? (await defaultName(folder));
    parseReference(name);
    const { writeArchive, writeFolder } = await import('./write-image.ts');
    try {
      await (isFolder ? writeFolder : writeArchive)({ image, blobs, name, to });
    } catch (error) {
      throw interruption(error, { signal: work.signal, folder: dirname(to) }) ?? error;
    }
    return { image, to };
  });
  shell.out(`${relative(shell.cwd, to) || to}  ${sizes(image)}\n${image.index.digest}\n`);
}

export async function buildAndPush(text: string, flags: ImageFlags & OutputFlags, shell: Shell): Promise<void> {
  const { image, sent, bytes, known } = await pushed(text, flags, shell);
  const { digest } = image.index;
  if (flags.output === 'json') {
    const platforms = image.manifests.map(({ descriptor, layers }) => ({
      platform: descriptor.platform && platformName(descriptor.platform),
      digest: descriptor.digest,
      bytes: layers.reduce((sum, { size }) => sum + size, 0),
    }));
    shell.out(json({ image: text, digest, platforms, sent: { blobs: sent, bytes }, known }));
  } else {
    const told = `${sent} blobs sent, ${megabytes(bytes)}; ${known} were there`;
    shell.out(`${text}  ${sizes(image)}; ${told}\n${digest}\n`);
  }
}

/** Builds the image and sends it. */
export async function pushed(
  text: string,
  flags: ImageFlags,
  shell: Shell,
): Promise<Pushed & { readonly image: Image }> {
  const reference = parseReference(text);
  const { version } = reference;
  if (version.startsWith('sha256:')) {
    throw new UsageError(`"${text}" ends with a digest, which nobody can choose`, 'give a tag');
  }
  return await working(shell, async (work) => {
    const { image, blobs } = await built(flags, work);
    const { signal, steps } = work;
    const isPlain = flags.plainHttp === reference.registry;
    const registry = new Registry(reference, { isPlain, env: shell.env, signal });
    const { onTransfer } = steps;
    return { ...(await pushImage(image, { registry, version, blobs, onTransfer })), image };
  });
}

interface Work {
  readonly shell: Shell;
  readonly signal: AbortSignal;
  readonly steps: Steps;
}

/** Shows what goes on, and says in words what has interrupted it. */
export async function working<T>(shell: Shell, act: (work: Work) => Promise<T>): Promise<T> {
  const signal = shell.stopSignal();
  const steps = stepsOf(shell);
  try {
    return await act({ shell, signal, steps });
  } catch (error) {
    throw interruption(error, { signal, folder: blobsFolder(shell.env) }) ?? error;
  } finally {
    steps.end();
  }
}

const again = 'call again: what was made and sent is not made or sent again';

interface Interrupted {
  readonly signal: AbortSignal;
  /** Where it wrote. */
  readonly folder: string;
}

/** What is not the fault of the project: the next call finishes what this one has begun. */
export function interruption(error: unknown, { signal, folder }: Interrupted): CommandError | undefined {
  if (signal.aborted) return new CommandError('it was stopped', again);
  if (!isFullDisk(error)) return undefined;
  return new CommandError(`no space is left on the disk of ${folder}`, `make some, and ${again}`);
}

const isFullDisk = (error: unknown) => hasCode(error, 'ENOSPC') || hasCode(error, 'EDQUOT');

async function built(flags: ImageFlags, { shell, signal, steps }: Work) {
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
    baseFor: (platform) => baseFor(platform, { flags, shell, blobs, signal, onTransfer: steps.onTransfer }),
    epoch: epochOf(shell.env.SOURCE_DATE_EPOCH),
    blobs,
    onStep: (step) => {
      signal.throwIfAborted();
      steps.onStep(step);
    },
  });
  return { folder, image, blobs };
}

interface BaseContext {
  readonly flags: ImageFlags;
  readonly shell: Shell;
  readonly blobs: Blobs;
  readonly signal: AbortSignal;
  readonly onTransfer: OnTransfer;
}

async function baseFor(platform: Platform, { flags, shell, blobs, signal, onTransfer }: BaseContext): Promise<Base> {
  const { base, nodeVersion = process.versions.node, freshBase: isFresh = false } = flags;
  if (base === 'packages') {
    const { packageBase } = await import('./package-base.ts');
    return await packageBase({ platform, nodeVersion, blobs, isFresh, env: shell.env, signal });
  }
  const { registryBase } = await import('./registry-base.ts');
  const reference = parseReference(base);
  const isPlain = flags.plainHttp === reference.registry;
  const registry = new Registry(reference, { isPlain, env: shell.env, signal });
  try {
    const name = `${reference.registry}/${reference.repository}`;
    return await registryBase({ platform, registry, name, version: reference.version, blobs, onTransfer });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
    const next = '--base names another image that has Node, and "--base packages" makes one of npm and Debian packages';
    throw new CommandError(`the base ${base} cannot be pulled, since ${error.problem}`, next, { cause: error });
  }
}

function platformOf(text: string): Platform {
  const found = platforms.find((each) => platformName(each) === text);
  if (found !== undefined) return found;
  throw new UsageError(`there is no image for ${text}`, `choose from ${platforms.map(platformName).join(' and ')}`);
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
