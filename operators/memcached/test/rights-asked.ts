/** Rights as single words: those that an operator is granted, and those that its requests take. */
import assert from 'node:assert/strict';
import type { PolicyRule, Transport, TransportRequest } from '@keelson/core';
import { Lease } from '@keelson/core/coordination/v1';
import { ClusterRole } from '@keelson/core/rbac/v1';
import { type StartClusterOptions, startCluster, type TestCluster } from '@keelson/testing';
import type { AuditEntry } from '@keelson/tools-kubernetes';

/** Each verb of the rules on its own, such as `patch apps/deployments` and `create /services`. */
export const rightsIn = (rules: readonly PolicyRule[]): readonly string[] =>
  [
    ...new Set(
      rules.flatMap(({ apiGroups, resources, verbs }) => verbs.map((verb) => `${verb} ${apiGroups}/${resources}`)),
    ),
  ].sort();

/** The rules but for one right. */
export const withoutRight = (rules: readonly PolicyRule[], right: string): readonly PolicyRule[] =>
  rules
    .flatMap((rule) => rule.verbs.map((verb) => ({ ...rule, verbs: [verb] })))
    .filter((rule) => !rightsIn([rule]).includes(right));

/** Asked for only where a list cannot be streamed, as on an API server that is just starting or ending. */
export const isList = (right: string): boolean => right.startsWith('list ');

/** Of each kind that is watched for itself, the right to. */
export const watchedKinds = (rules: readonly PolicyRule[]): readonly string[] =>
  rightsIn(rules).filter((right) => right.startsWith('watch ') && !right.endsWith('/leases'));

/** The rights without which a test of this life passes all the same; each other one has failed it, taken away alone. */
export async function notMissed(
  rules: readonly PolicyRule[],
  options: StartClusterOptions,
  live: (cluster: TestCluster) => Promise<void>,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (const right of rightsIn(rules)) {
    try {
      await using cluster = await startCluster(options);
      await takeAway(cluster, right);
      await live(cluster);
      all.push(right);
    } catch (error) {
      // Where ending the cluster has failed, too, the first error is inside.
      const { error: first = error } = error as { readonly error?: unknown };
      assert.match(String(first), /its rules follow from its declarations/, right);
    }
  }
  return all;
}

/** Begins again, as if the operator had never had this right. */
async function takeAway({ client, replicas }: TestCluster, right: string): Promise<void> {
  for (const replica of replicas) replica.crash();
  const name = replicas[0]?.operator.name ?? '';
  await client.delete(Lease, `operators/${name}`);
  const { rules = [] } = await client.get(ClusterRole, `operators:${name}`);
  await client.patch(ClusterRole, `operators:${name}`, { rules: withoutRight(rules as readonly PolicyRule[], right) });
  for (const replica of replicas) await replica.start();
}

/** Passes every request on, and notes the right that it takes. */
export const notingRights = (transport: Transport, rights: Set<string>): Transport => ({
  request(request) {
    rights.add(rightFor(request));
    return transport.request(request);
  },
  [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
});

/** The rights that requests took, by the record of a real API server. */
export const rightsAudited = (entries: readonly AuditEntry[]): readonly string[] =>
  [...new Set(entries.map(rightAudited))].sort();

/**
 * What else than the operator's own roles has allowed a request. Those that were not allowed are left out: an API server
 * that has just been started knows no role yet.
 */
export function allowedByOthers(entries: readonly AuditEntry[], role: string): readonly string[] {
  const own = new RegExp(`^RBAC: allowed by \\S+ "${role}(-leader-election/[^"]+)?" of `);
  const reasons = entries
    .filter(({ annotations = {} }) => annotations['authorization.k8s.io/decision'] === 'allow')
    .map(({ annotations = {} }) => annotations['authorization.k8s.io/reason'] ?? '');
  return [...new Set(reasons)].filter((reason) => !own.test(reason));
}

function rightAudited({ verb, requestURI, objectRef }: AuditEntry): string {
  if (objectRef === undefined) return `${verb} ${requestURI}`;
  const { apiGroup = '', resource, subresource } = objectRef;
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

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
