/**
 * Takes items that others put into lists that an operator describes out of the hands of their owners, so that the next
 * apply removes them.
 *
 * The cache holds no entry but our own: what looks foreign there is confirmed by a live read, and where that shows items
 * without an owner, it is not asked again about the same ones. The write carries the resourceVersion that was read, so
 * that nothing is taken that was not seen.
 */
import type { Client } from '@keelson/client';
import { type Kind, type KubernetesObject, keyOf } from '@keelson/core';
import { type ForeignItem, foreignItems, withItemsOurs } from './foreign-items.ts';
import type { NoOpApplies } from './no-op-apply.ts';

export interface TakeOver {
  readonly client: Client;
  readonly applied: NoOpApplies;
  readonly kind: Kind;
  /** The object as the cache has it. */
  readonly existing: KubernetesObject;
  readonly wanted: object;
  /** Lists in which the items of others stay. */
  readonly shared: readonly string[];
}

/** The items that were taken over; none in the usual case, and then nothing was sent. */
export async function takeOver(options: TakeOver): Promise<readonly ForeignItem[]> {
  const { client, applied, kind, existing, wanted, shared } = options;
  const suspects = applied.suspects(existing, wanted, shared);
  if (suspects.length === 0) return [];
  const key = keyOf(existing);
  const live: KubernetesObject | undefined = await client.find(kind, key);
  if (live === undefined || live.metadata.uid !== existing.metadata.uid) return [];
  const items = foreignItems(live, applied.manager, wanted, shared);
  if (items.length === 0) {
    applied.acquit(existing, suspects);
    return [];
  }
  const { resourceVersion, managedFields = [] } = live.metadata;
  const metadata = { resourceVersion, managedFields: withItemsOurs(managedFields, applied.manager, items) };
  await client.patch(kind, key, { metadata });
  return items;
}

/** `kubectl-patch had added spec.ports[port=81,protocol=TCP]`. */
export function printTaken(items: readonly ForeignItem[]): string {
  const managers = [...new Set(items.map(({ manager }) => manager))];
  return managers
    .map((manager) => {
      const paths = items.filter((item) => item.manager === manager).map(({ path }) => path);
      return `${manager} had added ${paths.join(', ')}`;
    })
    .join('; ');
}
