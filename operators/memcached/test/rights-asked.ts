/** Rights as single words: those that an operator is granted, and those that its requests take. */
import type { PolicyRule, Transport, TransportRequest } from '@keelson/core';

/** Each verb of the rules on its own, such as `patch apps/deployments` and `create /services`. */
export const rightsIn = (rules: readonly PolicyRule[]): readonly string[] =>
  rules.flatMap(({ apiGroups, resources, verbs }) => verbs.map((verb) => `${verb} ${apiGroups}/${resources}`)).sort();

/** The rules but for one right. */
export const withoutRight = (rules: readonly PolicyRule[], right: string): readonly PolicyRule[] =>
  rules
    .flatMap((rule) => rule.verbs.map((verb) => ({ ...rule, verbs: [verb] })))
    .filter((rule) => !rightsIn([rule]).includes(right));

/** Passes every request on, and notes the right that it takes. */
export const notingRights = (transport: Transport, rights: Set<string>): Transport => ({
  request(request) {
    rights.add(rightFor(request));
    return transport.request(request);
  },
  [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
});

const verbs = { GET: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;
const resourcePath =
  /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+(?:\/namespaces\/[^/]+)?\/(?<resource>[^/]+)(?<name>\/[^/]+)?(?<sub>\/[^/]+)?$/;

function rightFor({ method, path }: TransportRequest): string {
  const { pathname, searchParams } = new URL(path, 'https://server');
  const found = resourcePath.exec(pathname)?.groups;
  if (found === undefined) return `${method} ${pathname}`;
  const { group = '', resource, name, sub = '' } = found;
  const collectionVerbs = {
    ...verbs,
    GET: searchParams.get('watch') === 'true' ? 'watch' : 'list',
    DELETE: 'deletecollection',
  };
  return `${(name === undefined ? collectionVerbs : verbs)[method]} ${group}/${resource}${sub}`;
}
