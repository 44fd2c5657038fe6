/** Reads from the request paths which kinds have endpoints, and with which plural, scope and subresources. */
import type { Resource } from './model.ts';
import type { Documents, GroupVersionKind, Operation, PathItem } from './openapi.ts';

export interface Endpoints {
  readonly kind: GroupVersionKind;
  /** Absent for kinds that only subresources use, such as Scale. */
  readonly resource?: Resource | undefined;
  /** What can be done with the resource, in the words of `x-kubernetes-action`. */
  readonly actions: ReadonlySet<string>;
}

/** Every kind with an endpoint, each once. */
export function endpointsOf(documents: Documents): readonly Endpoints[] {
  const requests = [...documents.values()].flatMap(({ paths = {} }) => Object.entries(paths).flatMap(requestsOf));
  // Connections (exec, proxy) name a kind for their query parameters; no such object is ever sent.
  const sent = requests.filter(({ action }) => action !== 'connect');
  const kinds = new Map(sent.map(({ kind }) => [nameOf(kind), kind]));
  return [...kinds].map(([name, kind]) => {
    const own = sent.filter((request) => nameOf(request.kind) === name && request.subresource === undefined);
    const [resource, second] = new Set(own.map((request) => request.resource));
    if (second !== undefined) throw new Error(`${name} has two resources: ${resource} and ${second}`);
    return {
      kind,
      actions: new Set(own.map(({ action }) => action)),
      resource:
        resource === undefined
          ? undefined
          : {
              name: resource.slice(resource.lastIndexOf('/') + 1),
              // A namespaced kind also has a path without a namespace, to list all of them.
              scope: own.some(({ isNamespaced }) => isNamespaced) ? 'Namespaced' : 'Cluster',
              subresources: subresourcesOf(requests.filter((request) => request.resource === resource)),
            },
    };
  });
}

function nameOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

interface Request {
  readonly kind: GroupVersionKind;
  readonly action: string;
  readonly isNamespaced: boolean;
  /** With its group version: `apps/v1/deployments`. */
  readonly resource: string;
  readonly subresource: string | undefined;
}

const resourcePath =
  /^\/apis?\/(?<groupVersion>(?:[^/]+\/)?v[^/]+)\/(?<namespace>namespaces\/\{namespace\}\/)?(?<plural>[^/{]+)(?:\/\{name\}(?:\/(?<subresource>[^/]+))?)?$/;

function requestsOf([path, item]: readonly [string, PathItem]): readonly Request[] {
  const { groupVersion, namespace, plural, subresource } = resourcePath.exec(path)?.groups ?? {};
  if (plural === undefined) return [];
  return Object.values(item).flatMap((operation) => {
    const { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': kind } = operation as Operation;
    if (action === undefined || kind === undefined) return [];
    const resource = `${groupVersion}/${plural}`;
    return [{ kind, action, isNamespaced: namespace !== undefined, resource, subresource }];
  });
}

function subresourcesOf(requests: readonly Request[]): readonly string[] {
  return [...new Set(requests.flatMap(({ subresource }) => subresource ?? []))].sort();
}
