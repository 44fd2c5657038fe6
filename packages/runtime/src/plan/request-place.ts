/** Where a request goes: from the path of a request to the object, the collection and the subresource. Pure. */

export interface Place {
  /** Empty for the legacy one. */
  readonly group: string;
  readonly version: string;
  /** The path of the collection. */
  readonly collection: string;
  /** Such as `deployments`. */
  readonly resource: string;
  /** Absent for the collection itself. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The path of the object, whichever part of it is meant. */
  readonly object: string;
  readonly query: URLSearchParams;
  /** The path of an object in this collection, or in its part of a namespace. */
  at(metadata: { readonly name: string; readonly namespace?: string | undefined }): string;
}

/** `/apis/apps/v1/namespaces/default/deployments/web/status?fieldManager=x` in its parts. */
export function placeOf(request: string): Place {
  const [path = '', query = ''] = request.split('?', 2);
  const segments = path.split('/').slice(1);
  const root = segments.slice(0, segments[0] === 'api' ? 2 : 3);
  const [group = '', version = ''] = segments[0] === 'api' ? ['', segments[1]] : segments.slice(1);
  const rest = segments.slice(root.length);
  // A Namespace has subresources of its own, and everything else of a namespace is three levels below.
  const isInNamespace = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const scope = isInNamespace ? rest.slice(0, 2) : [];
  const [resource = '', name, ...below] = rest.slice(scope.length);
  const collection = `/${[...root, ...scope, resource].join('/')}`;
  return {
    group,
    version,
    collection,
    resource,
    name: name && decodeURIComponent(name),
    subresource: below.length > 0 ? below.join('/') : undefined,
    object: name === undefined ? collection : `${collection}/${name}`,
    query: new URLSearchParams(query),
    at({ name: other, namespace }) {
      const place = scope.length > 0 || namespace === undefined ? scope : ['namespaces', namespace];
      return `/${[...root, ...place, resource, encodeURIComponent(other)].join('/')}`;
    },
  };
}

/** Whether a post is a question: it is answered and nothing is kept. */
export function isReview(request: string): boolean {
  return /^\/apis\/(authentication|authorization)\.k8s\.io\//.test(request);
}
