/**
 * Discovery: which resources the API server has, read in its aggregated form (Kubernetes 1.30 and newer).
 *
 * Promises: one version for each resource, the one that the server prefers; any version can be mapped from an owner
 * reference. A group that the server itself cannot reach now is named, not silently missing.
 */
import type { Client } from '@keelson/client';
import { apiVersionOf, type Kind, TransportError } from '@keelson/core';

export interface Resource extends Kind {
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export interface Resources {
  /** Each resource once, in the version that the server prefers, in the server's order. */
  readonly preferred: readonly Resource[];
  /** `group/version` of what the server knows but cannot reach. */
  readonly stale: readonly string[];
  /** What `apiVersion` and `kind`, as an owner reference names them, mean here. */
  find(apiVersion: string, kind: string): Resource | undefined;
}

export interface Discovery {
  /** Asks the server, each time. */
  read(signal?: AbortSignal): Promise<Resources>;
}

/** The part of `APIGroupDiscoveryList` (apidiscovery.k8s.io/v2) that is needed here. */
export interface GroupList {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly freshness?: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind?: string } | null;
        readonly scope?: string;
        readonly verbs?: readonly string[];
        readonly subresources?: readonly { readonly subresource: string }[];
      }[];
    }[];
  }[];
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function createDiscovery(client: Client): Discovery {
  return {
    async read(signal) {
      const lists = await Promise.all(['/api', '/apis'].map((path) => readList(client, path, signal)));
      return resourcesOf(lists);
    },
  };
}

/** Pure: the lists of `/api` and `/apis` as resources. */
export function resourcesOf(lists: readonly GroupList[]): Resources {
  const preferred: Resource[] = [];
  const stale: string[] = [];
  const byKind = new Map<string, Resource>();
  for (const group of lists.flatMap(({ items = [] }) => items)) {
    const seen = new Set<string>();
    for (const { version, freshness, resources = [] } of group.versions ?? []) {
      const groupVersion = { group: group.metadata?.name ?? '', version };
      if (freshness === 'Stale') stale.push(apiVersionOf(groupVersion));
      for (const { resource, responseKind, scope, verbs = [], subresources = [] } of resources) {
        const found: Resource = {
          ...groupVersion,
          kind: responseKind?.kind ?? '',
          resource,
          scope: scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
          verbs,
          subresources: subresources.map(({ subresource }) => subresource),
        };
        const id = `${apiVersionOf(groupVersion)} ${found.kind}`;
        if (!byKind.has(id)) byKind.set(id, found);
        if (!seen.has(resource)) preferred.push(found);
        seen.add(resource);
      }
    }
  }
  return { preferred, stale, find: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`) };
}

async function readList(client: Client, path: string, signal: AbortSignal | undefined): Promise<GroupList> {
  const answer = await client.getRaw(path, { accept: aggregated, signal });
  if ((answer as { readonly kind?: string }).kind === 'APIGroupDiscoveryList') return answer as GroupList;
  const reason = 'the server has no aggregated discovery (Kubernetes 1.30 and newer have it)';
  throw new TransportError(`discover ${path}`, reason);
}
