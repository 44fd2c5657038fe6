/**
 * What a path and a method ask for, as far as they tell by themselves: the attributes that authorisation sees.
 *
 * Pure: whether such a resource exists is found out later.
 */

export interface ResourceInfo {
  readonly type: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource, or the name where there is none. */
  readonly rest: readonly string[];
  /** `/api/v1/watch/…`, the old way to ask for a watch. */
  readonly watchPath: boolean;
  /** The path leads through a namespace to something in it; `/api/v1/namespaces/a` alone is no such path. */
  readonly throughNamespace: boolean;
}

interface OtherInfo {
  readonly type: 'other';
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceInfo | OtherInfo;

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other: OtherInfo = { type: 'other', verb: method.toLowerCase(), path };
  // Unescaped as a whole: an escaped slash parts, and between two slashes there is an empty name.
  const parts = unescaped(path)
    .replace(/^\/+|\/+$/g, '')
    .split('/');
  const [prefix, ...below] = parts;
  if (parts.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return other;
  if (prefix === 'apis' && below.length < 3) return other;
  const group = prefix === 'api' ? '' : (below.shift() ?? '');
  const version = below.shift() ?? '';

  let verb = verbs[method] ?? '';
  const watchPath = below[0] === 'watch' && below.length > 1;
  if (watchPath) {
    verb = 'watch';
    below.shift();
  }
  let namespace = '';
  let throughNamespace = false;
  if (below[0] === 'namespaces' && below[1] !== undefined) {
    namespace = below[1];
    throughNamespace = below[2] !== undefined && below[2] !== 'status' && below[2] !== 'finalize';
    if (throughNamespace) below.splice(0, 2);
  }
  const [resource = '', name = '', subresource = '', ...rest] = below;
  if (name === '' && verb === 'get') verb = isTrue(query.get('watch')) ? 'watch' : 'list';
  if (name === '' && verb === 'delete') verb = 'deletecollection';
  return {
    type: 'resource',
    verb,
    group,
    version,
    resource,
    namespace,
    name,
    subresource,
    rest,
    watchPath,
    throughNamespace,
  };
}

/** Whether a path can be read at all. */
export const isEscapedWell = (path: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(path);

function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not UTF-8: nothing has such a name
  }
}

/** Query booleans: absent, `0` and `false` are false; anything else, even nothing at all, is true. */
export const isTrue = (value: string | null): boolean =>
  value !== null && value !== '0' && value.toLowerCase() !== 'false';
