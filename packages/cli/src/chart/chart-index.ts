/** index.yaml of a folder of charts: what `helm repo add` reads. */
import { isObject } from '@keelson/core';
import { parseDocument, stringify } from 'yaml';
import { CommandError } from '../command-error.ts';
import type { ChartArchive } from './archive.ts';

export interface ListedChart {
  readonly archive: ChartArchive;
  /** Where it is, by itself or from the index. */
  readonly url: string;
  /** As `1970-01-01T00:00:00Z`. */
  readonly created: string;
}

/** The index with this chart in it; what is listed already stays, but for the same version. */
export function withChart(before: string | undefined, { archive, url, created }: ListedChart): string {
  const { metadata, digest } = archive;
  const entries = before === undefined ? {} : entriesIn(before);
  const others = Array.isArray(entries[metadata.name]) ? (entries[metadata.name] as readonly unknown[]) : [];
  const rest = others.filter((each) => !isObject(each) || each.version !== metadata.version);
  const entry = { ...metadata, created, digest: digest.replace(/^sha256:/, ''), urls: [url] };
  const all = { ...entries, [metadata.name]: [entry, ...rest] };
  return stringify({ apiVersion: 'v1', entries: all, generated: created }, { lineWidth: 0 });
}

/** What is listed. A file of which nothing can be kept is not written over. */
function entriesIn(text: string): Readonly<Record<string, unknown>> {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new CommandError(`index.yaml is no YAML: ${error.message.split('\n')[0]}`, wayOn);
  const listed: unknown = document.toJS();
  const entries = isObject(listed) ? (listed.entries ?? {}) : undefined;
  if (!isObject(entries)) throw new CommandError('index.yaml is no list of charts', wayOn);
  return entries;
}

const wayOn = 'mend it, or remove it, and the chart begins a new one';
