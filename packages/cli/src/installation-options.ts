/** What package.json says of an operator's installation: its image, its namespace, and those that it watches. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import type { GenerateOptions } from '@keelson/generate';
import { CommandError } from './command-error.ts';

/** Anything that is not what it should be is told. */
export async function installationOptions(folder: string): Promise<GenerateOptions> {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return {};
  const { keelson, version } = JSON.parse(await readFile(manifest, 'utf8')) as Readonly<Record<string, unknown>>;
  const { image, namespace, namespaces } = isObject(keelson) ? keelson : {};
  const text = (name: string, value: unknown): string | undefined => {
    if (value === undefined || typeof value === 'string') return value;
    throw new CommandError(`${manifest}: keelson.${name} is ${JSON.stringify(value)}`, 'make it a text');
  };
  const isList = Array.isArray(namespaces) && namespaces.every((each) => typeof each === 'string');
  if (namespaces !== undefined && !isList) {
    throw new CommandError(
      `${manifest}: keelson.namespaces is ${JSON.stringify(namespaces)}`,
      'make it a list of texts',
    );
  }
  return {
    image: text('image', image),
    namespace: text('namespace', namespace),
    version: typeof version === 'string' ? version : undefined,
    namespaces: isList ? (namespaces as readonly string[]) : undefined,
  };
}
