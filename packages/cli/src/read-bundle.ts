/** Reads a bundle from the disk, as it is: what is wrong with it is for its judge to say. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BundleContents } from '@keelson/generate/scorecard';
import { parseDocument } from 'yaml';
import { CommandError } from './command-error.ts';
import type { Shell } from './shell.ts';

/** A folder that has no `manifests` is none, and is told. */
export async function readBundle(path: string, { cwd }: Pick<Shell, 'cwd'>): Promise<BundleContents> {
  const folder = resolve(cwd, path);
  const [manifests, metadata] = [join(folder, 'manifests'), join(folder, 'metadata')];
  if (!existsSync(manifests)) {
    throw new CommandError(`there is no bundle in ${folder}`, '"keelson bundle" writes one, or name its folder');
  }
  const files = await textsIn(manifests);
  const about = await textsIn(metadata);
  return {
    manifests: files.map(({ file, text }) => ({ file, object: parsed(text) })),
    annotations: about.map(({ text }) => parsed(text)).find((value) => Object(value).annotations !== undefined),
    packedBytes: [...files, ...about].reduce((sum, { text }) => sum + packedSize(text), 0),
  };
}

async function textsIn(folder: string) {
  const names = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : [];
  return await Promise.all(
    names
      .filter((each) => each.isFile())
      .map(async ({ name }) => ({ file: name, text: await readFile(join(folder, name), 'utf8') })),
  );
}

/** What is no YAML is no object. */
function parsed(text: string): unknown {
  const document = parseDocument(text);
  return document.errors.length > 0 ? undefined : document.toJS();
}

const packedSize = (text: string): number => Math.ceil(gzipSync(text).length / 3) * 4;
