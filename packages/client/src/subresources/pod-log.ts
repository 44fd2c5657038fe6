/** The log of a container, as bytes as they come. */
import { addressOf, type NamespacedName } from '@keelson/core';
import type { CallOptions, Client } from '../client/client.ts';
import { objectPath } from '../client/path.ts';
import { query } from '../client/query.ts';
import { pods } from './kinds.ts';

/** Which log, and which part of it. */
export interface PodLogOptions extends CallOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Stay, and go on as the container writes. @default false */
  readonly follow?: boolean | undefined;
  /** Of the container before its last restart. @default false */
  readonly previous?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly limitBytes?: number | undefined;
  /** Begin each line with its time. @default false */
  readonly timestamps?: boolean | undefined;
}

/** `timeoutMs` bounds the beginning only. Leaving the loop closes the connection. */
export function podLog(client: Client, key: NamespacedName, options: PodLogOptions = {}): AsyncIterable<Uint8Array> {
  const { signal, timeoutMs, ...parameters } = options;
  const path = objectPath(pods, addressOf(pods, key), 'log') + query(parameters);
  return client.streamRaw(path, { signal, timeoutMs });
}
