/** A chart as one file, as `helm package` makes it. The same files give the same bytes. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import { parseDocument } from 'yaml';
import { CommandError } from '../command-error.ts';
import type { Blobs } from '../image/blobs.ts';
import { makeLayer } from '../image/layer.ts';

/** What Chart.yaml says. */
interface ChartMetadata extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly version: string;
}

/** A chart among the blobs. */
export interface ChartArchive {
  readonly metadata: ChartMetadata;
  readonly digest: string;
  readonly size: number;
}

/** Every file of the folder goes into it, but for those whose name begins with a dot. */
export async function chartArchive(folder: string, blobs: Blobs): Promise<ChartArchive> {
  const metadata = await metadataOf(folder);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
  const { digest, size } = await makeLayer(
    files.map((file) => ({
      path: `${metadata.name}/${file.slice(folder.length + 1).replaceAll('\\', '/')}`,
      file,
    })),
    blobs,
  );
  return { metadata, digest, size };
}

async function metadataOf(folder: string): Promise<ChartMetadata> {
  const file = join(folder, 'Chart.yaml');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw new CommandError(`there is no ${file}`, 'make it with "keelson generate chart"');
  const document = parseDocument(text);
  const metadata: unknown = document.errors.length > 0 ? undefined : document.toJS();
  if (isObject(metadata) && isPartOfName(metadata.name) && isPartOfName(metadata.version)) {
    return { ...metadata, name: metadata.name, version: metadata.version };
  }
  throw new CommandError(`${file} names no chart and version`, 'make it again with "keelson generate chart"');
}

/** Files are called by them, so that nothing in them may lead to another folder. */
const isPartOfName = (value: unknown): value is string => typeof value === 'string' && /^\w[\w.+-]*$/.test(value);
