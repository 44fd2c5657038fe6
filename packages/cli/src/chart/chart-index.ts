/** index.yaml of a folder of charts: what `helm repo add` reads. */
import { isObject } from '@keelson/core';
import { parse, stringify } from 'yaml';
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
  const listed: unknown = before === undefined ? {} : parse(before);
  const entries = isObject(listed) && isObject(listed.entries) ? listed.entries : {};
  const others = Array.isArray(entries[metadata.name]) ? (entries[metadata.name] as readonly unknown[]) : [];
  const rest = others.filter((each) => !isObject(each) || each.version !== metadata.version);
  const entry = { ...metadata, created, digest: digest.replace(/^sha256:/, ''), urls: [url] };
  const all = { ...entries, [metadata.name]: [entry, ...rest] };
  return stringify({ apiVersion: 'v1', entries: all, generated: created }, { lineWidth: 0 });
}
