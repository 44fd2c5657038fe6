/** Evicting a pod: deleting it, unless a disruption budget forbids that now. */
import { type NamespacedName, parseKey } from '@keelson/core';
import type { Client, DeleteOptions } from '../client/client.ts';
import { pods } from './kinds.ts';

/** How a pod is evicted. */
export type EvictOptions = Omit<DeleteOptions, 'onWarning' | 'propagationPolicy'>;

/** Rejects with TooManyRequests (`isTooManyRequests`) when a budget forbids it: try again later, or not at all. */
export async function evict(client: Client, key: NamespacedName, options: EvictOptions = {}): Promise<void> {
  const { preconditions, gracePeriodSeconds, dryRun, signal, timeoutMs } = options;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: parseKey(key),
    deleteOptions: { preconditions, gracePeriodSeconds },
  };
  await client.createSubresource(pods, 'eviction', eviction, { dryRun, signal, timeoutMs });
}
