/** Reads the two forms in which a server tells what it has: everything at once, or a document for each group version. */
import { ApiError } from '@keelson/core';
import { failureStatus } from '../transport/response.ts';
import type { DiscoveredKind } from './discovery.ts';

/** The kinds of a server, in its order of preference, and which group versions did not answer. */
export interface DiscoveredKinds {
  readonly kinds: readonly DiscoveredKind[];
  readonly failures: readonly { readonly group: string; readonly version: string; readonly error: Error }[];
}

export type Document =
  | ({ readonly type: 'findings' } & DiscoveredKinds)
  /** Only an index: where the documents of the group versions are. */
  | { readonly type: 'index'; readonly paths: readonly string[] };

interface RawDocument {
  readonly kind?: string;
  /** APIGroupDiscoveryList. */
  readonly items?: readonly RawGroup[];
  /** APIVersions, of the legacy group. */
  readonly versions?: readonly string[];
  /** APIGroupList. */
  readonly groups?: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
}

interface RawGroup {
  readonly metadata: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly resources?: readonly RawResource[];
    /** `Stale`: the server of this group did not answer the one that we ask. */
    readonly freshness?: string;
  }[];
}

interface RawResource {
  readonly resource: string;
  readonly responseKind?: { readonly group?: string; readonly version?: string; readonly kind: string };
  readonly scope: 'Cluster' | 'Namespaced';
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

export function readAggregated(answer: unknown): Document {
  const document = answer as RawDocument;
  if (document.kind === 'APIGroupDiscoveryList') {
    const served = (document.items ?? []).flatMap(({ metadata, versions }) =>
      (versions ?? []).map((version) => ({ group: metadata.name ?? '', resources: [], ...version })),
    );
    return {
      type: 'findings',
      kinds: served.flatMap(({ group, version, resources }) =>
        resources.flatMap((each) => kindOf(group, version, each)),
      ),
      // One that answered before is listed with what it said then, which may be out of date.
      failures: served.flatMap(({ group, version, freshness }) =>
        freshness === 'Stale' ? [{ group, version, error: silence(group, version) }] : [],
      ),
    };
  }
  const legacy = (document.versions ?? []).map((version) => `/api/${version}`);
  const grouped = (document.groups ?? []).flatMap(({ versions }) =>
    versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
  );
  return { type: 'index', paths: [...legacy, ...grouped] };
}

function silence(group: string, version: string): ApiError {
  const message = 'the server of this group does not answer; look at its APIService';
  return new ApiError(`discover ${group}/${version}`, failureStatus(503, message));
}

/** A resource that has only subresources names no kind of its own. */
function kindOf(group: string, version: string, resource: RawResource): readonly DiscoveredKind[] {
  if (!resource.responseKind) return [];
  return [
    {
      group,
      version,
      kind: resource.responseKind.kind,
      resource: resource.resource,
      scope: resource.scope,
      singular: resource.singularResource ?? '',
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs,
      subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
    },
  ];
}

interface RawResourceList {
  readonly groupVersion: string;
  readonly resources?: readonly {
    /** `pods`, or `pods/status`. */
    readonly name: string;
    readonly singularName?: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

/** An APIResourceList. */
export function readGroup(answer: unknown): readonly DiscoveredKind[] {
  const { groupVersion, resources = [] } = answer as RawResourceList;
  const [first = '', second] = groupVersion.split('/');
  const [group, version] = second === undefined ? ['', first] : [first, second];
  const subresources = new Map<string, string[]>();
  for (const { name } of resources) {
    const slash = name.indexOf('/');
    if (slash === -1) continue;
    const own = subresources.get(name.slice(0, slash)) ?? [];
    subresources.set(name.slice(0, slash), own);
    own.push(name.slice(slash + 1));
  }
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      resource: resource.name,
      scope: resource.namespaced ? 'Namespaced' : 'Cluster',
      singular: resource.singularName ?? '',
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs,
      subresources: subresources.get(resource.name) ?? [],
    }));
}
