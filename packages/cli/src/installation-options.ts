/** What package.json says of an operator's installation: image, namespace, those that it watches, the words of a chart. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '@keelson/core';
import type { ChartMaintainer, ChartWords, GenerateOptions } from '@keelson/generate';
import { CommandError } from './command-error.ts';

/** Anything that is not what it should be is told. */
export async function installationOptions(folder: string): Promise<GenerateOptions> {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return {};
  const fields = JSON.parse(await readFile(manifest, 'utf8')) as Readonly<Record<string, unknown>>;
  const { keelson, version } = fields;
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
    chart: chartWords(fields),
  };
}

/** What a chart says of the operator, as npm's fields have it. */
function chartWords(fields: Readonly<Record<string, unknown>>): ChartWords {
  const { description, keywords, homepage, repository, author, maintainers } = fields;
  const url = isObject(repository) ? repository.url : repository;
  const people = (Array.isArray(maintainers) ? maintainers : [author]).flatMap(personOf);
  return {
    description: typeof description === 'string' ? description : undefined,
    keywords: Array.isArray(keywords) ? keywords.map(String) : undefined,
    home: typeof homepage === 'string' ? homepage : undefined,
    // A source is a page; npm also takes short names and the protocols of git.
    sources: typeof url === 'string' && /^(git\+)?https:/.test(url) ? [url.replace(/^git\+|\.git$/g, '')] : undefined,
    maintainers: people.length > 0 ? people : undefined,
  };
}

/** npm writes a person as an object, or as `Name <mail> (page)`. */
function personOf(value: unknown): readonly ChartMaintainer[] {
  if (typeof value === 'string') {
    const [, name = '', email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(value) ?? [];
    return name.trim() === '' ? [] : [{ name: name.trim(), email, url }];
  }
  if (!isObject(value) || typeof value.name !== 'string') return [];
  const text = (field: unknown) => (typeof field === 'string' ? field : undefined);
  return [{ name: value.name, email: text(value.email), url: text(value.url) }];
}
