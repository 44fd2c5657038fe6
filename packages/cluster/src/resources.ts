/** What the server has, as controllers of all kinds need it: each resource once, and kinds by what references name. */
import type { DiscoveredKind, DiscoveredKinds } from '@keelson/client';
import { apiVersionOf, resourceNameOf } from '@keelson/core';

export interface Resources {
  /** Each resource once, in the version that the server prefers, in the server's order. */
  readonly preferred: readonly DiscoveredKind[];
  /** `group/version` of what the server knows but cannot reach. */
  readonly stale: readonly string[];
  /** What `apiVersion` and `kind`, as an owner reference names them, mean here. */
  find(apiVersion: string, kind: string): DiscoveredKind | undefined;
}

export function resourcesOf({ kinds, failures }: DiscoveredKinds): Resources {
  const preferred = new Map<string, DiscoveredKind>();
  const byKind = new Map<string, DiscoveredKind>();
  for (const each of kinds) {
    const [name, id] = [resourceNameOf(each), `${apiVersionOf(each)} ${each.kind}`];
    if (!preferred.has(name)) preferred.set(name, each);
    if (!byKind.has(id)) byKind.set(id, each);
  }
  return {
    preferred: [...preferred.values()],
    stale: failures.map(apiVersionOf),
    find: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`),
  };
}
