/** Query parameters of requests; absent values are left out. */
import { type LabelSelection, printLabelSelector, requirementsOf } from '@keelson/core';
import type { ListOptions, Selection, WatchOptions, WriteOptions } from './client.ts';

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export function query(parameters: Parameters): string {
  const search = new URLSearchParams();
  for (const name in parameters) {
    const value = parameters[name];
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

export function selectionParameters({ labels, fields }: Selection): Parameters {
  return { labelSelector: labels === undefined ? undefined : labelText(labels), fieldSelector: fields };
}

function labelText(labels: LabelSelection): string {
  return printLabelSelector(requirementsOf(labels));
}

/** A page: from where an earlier one ended, or else the first. The server refuses a resourceVersion with a token. */
export function pageParameters(options: ListOptions, continueToken: string | undefined): Parameters {
  const from =
    continueToken === undefined
      ? { resourceVersion: options.resourceVersion, resourceVersionMatch: options.resourceVersionMatch }
      : { continue: continueToken };
  return { ...selectionParameters(options), limit: options.pageSize ?? 500, ...from };
}

export function watchParameters(options: WatchOptions): Parameters {
  const { resourceVersion, serverTimeoutSeconds, sendInitialEvents } = options;
  return {
    ...selectionParameters(options),
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion,
    timeoutSeconds: serverTimeoutSeconds,
    ...(sendInitialEvents ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
  };
}

export function writeParameters({ dryRun, fieldManager, fieldValidation }: WriteOptions): Parameters {
  return { dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation };
}
