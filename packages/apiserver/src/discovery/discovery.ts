/**
 * Which groups, versions and resources there are: in one document for clients that can read it, in many for the others.
 */
import { createHash } from 'node:crypto';
import { acceptClauses } from '../encode/negotiate.ts';
import type { JsonObject } from '../object.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, textResponse } from '../request/exchange.ts';
import type { GroupVersions, Registry } from '../resource/registry.ts';
import { apiVersionOf, type Resource, type Subresource } from '../resource/resource.ts';
import { noSuchResource, notAcceptable } from '../status.ts';

/** Whether the client wants the aggregated document, and can read the only version of it that there is. */
function wantsAggregated(accept: string | undefined): boolean {
  for (const { mediaType, parameters } of acceptClauses(accept ?? '')) {
    if (mediaType !== 'application/json' && mediaType !== '*/*' && mediaType !== 'application/*') continue;
    const { as, g, v } = parameters;
    if (as === undefined) return false;
    if (as === 'APIGroupDiscoveryList' && g === 'apidiscovery.k8s.io' && v === 'v2') return true;
  }
  if (accept === undefined || accept === '') return false;
  throw notAcceptable(['application/json', 'application/yaml']);
}

/** Discovery is cached by clients under this name. */
const etagOf = (text: string): string => `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"`;

/** Built-in resources leave out group and version where they are their own. */
const responseKind = (resource: Resource, kind: Subresource['kind']): JsonObject =>
  !resource.strategy.custom && kind.group === resource.group && kind.version === resource.version
    ? { group: '', version: '', kind: kind.kind }
    : kind;

const described = (resource: Resource): JsonObject => ({
  resource: resource.resource,
  responseKind: responseKind(resource, { group: resource.group, version: resource.version, kind: resource.kind }),
  scope: resource.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: resource.singular,
  verbs: resource.verbs,
  ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
  ...(resource.categories.length > 0 && { categories: resource.categories }),
  ...(resource.subresources.size > 0 && {
    subresources: [...resource.subresources].map(([subresource, { kind, verbs }]) => ({
      subresource,
      responseKind: responseKind(resource, kind),
      verbs,
    })),
  }),
});

const aggregatedGroup = ({ group, versions }: GroupVersions): JsonObject => ({
  metadata: group === '' ? {} : { name: group },
  versions: versions.map(({ version, resources, isStale }) =>
    isStale ? { version, freshness: 'Stale' } : { version, resources: resources.map(described), freshness: 'Current' },
  ),
});

function aggregated(request: ApiRequest, groups: readonly GroupVersions[]): ApiResponse {
  const list = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(aggregatedGroup),
  };
  const text = JSON.stringify(list);
  const etag = etagOf(text);
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: [] };
  const type = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  return { status: 200, headers: { ...headers, 'content-type': type }, body: [Buffer.from(text)] };
}

const groupVersionOf = (group: string, version: string) => ({
  groupVersion: apiVersionOf({ group, version }),
  version,
});

function legacyGroup({ group, versions }: GroupVersions): JsonObject {
  const [preferred] = versions;
  return {
    name: group,
    versions: versions.map(({ version }) => groupVersionOf(group, version)),
    preferredVersion: groupVersionOf(group, preferred?.version ?? ''),
  };
}

/** Names the version in which objects are stored, so that a migration can see when it changes. */
const storageHash = ({ group, version, kind }: Resource): string =>
  createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');

/** Subresources are resources of their own in the old documents. */
function legacyResources(group: string, version: string, resources: readonly Resource[]): JsonObject {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap((resource) => [
      {
        name: resource.resource,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        verbs: resource.verbs,
        ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
        ...(resource.categories.length > 0 && { categories: resource.categories }),
        ...(resource.verbs.includes('watch') && { storageVersionHash: storageHash(resource) }),
      },
      ...[...resource.subresources].map(([name, { kind, verbs }]) => ({
        name: `${resource.resource}/${name}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...(kind.group !== group && { group: kind.group, version: kind.version }),
        kind: kind.kind,
        verbs,
      })),
    ]),
  };
}

/** What is said for a server that cannot be reached. */
export const unavailable = (): ApiResponse => textResponse(503, 'service unavailable\n');

/** Answers `/api`, `/apis` and what is directly below them; `undefined` for everything else. */
export function discover(request: ApiRequest, registry: Registry): ApiResponse | undefined {
  const [prefix, group, version, ...rest] = request.path.split('/').filter((part) => part !== '');
  if (rest.length > 0) return undefined;
  const groups = registry.groups();
  if (prefix === 'api') return discoverLegacyGroup(request, groups, group, version);
  if (prefix !== 'apis') return undefined;
  const named = groups.filter((each) => each.group !== '');
  if (group === undefined) {
    if (wantsAggregated(request.headers.accept)) return aggregated(request, named);
    return jsonResponse(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: named.map(legacyGroup) });
  }
  const found = named.find((each) => each.group === group);
  if (found === undefined) return textResponse(404, '404 page not found\n');
  if (version === undefined) return jsonResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...legacyGroup(found) });
  if (registry.isDelegated(group, version)) return unavailable();
  const resources = found.versions.find((each) => each.version === version)?.resources;
  if (resources !== undefined) return jsonResponse(200, legacyResources(group, version, resources));
  if (registry.isBuiltIn(group)) throw noSuchResource();
  return textResponse(404, '404 page not found\n');
}

function discoverLegacyGroup(
  request: ApiRequest,
  groups: readonly GroupVersions[],
  version: string | undefined,
  more: string | undefined,
): ApiResponse | undefined {
  if (more !== undefined) return undefined;
  const core = groups.filter((each) => each.group === '');
  if (version === undefined) {
    if (wantsAggregated(request.headers.accept)) return aggregated(request, core);
    return jsonResponse(200, {
      kind: 'APIVersions',
      versions: core.flatMap(({ versions }) => versions.map((each) => each.version)),
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: request.host }],
    });
  }
  const resources = core.flatMap(({ versions }) => versions).find((each) => each.version === version)?.resources;
  return resources === undefined
    ? textResponse(404, '404 page not found\n')
    : jsonResponse(200, legacyResources('', version, resources));
}
