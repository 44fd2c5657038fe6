/** Access check: asks the API server, before anything needs it, which declared rules are not granted. */
import type { Client } from '@keelson/client';
import type { OperatorRole, Verb } from '@keelson/core';
import { SelfSubjectAccessReview } from '@keelson/core/authorization/v1';

/** Verbs on a resource that the user of a client does not have. */
export interface MissingAccess {
  readonly group: string;
  /** With its subresource: `memcacheds/status`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
  /** Only on the object of this name; absent: on any. */
  readonly name?: string | undefined;
  /** Where they are missing; absent: in all namespaces together. */
  readonly namespace: string | undefined;
}

/**
 * What the client's user lacks of these roles, each asked about in its own namespace.
 *
 * @example
 * const missing = await missingAccess(client, rolesOf(websiteOperator, { namespace: 'websites' }));
 */
export async function missingAccess(client: Client, roles: readonly OperatorRole[]): Promise<readonly MissingAccess[]> {
  const questions = roles.flatMap(({ namespace, rules }) =>
    rules.flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => resourceNames.map((name) => ({ namespace, group, resource, name, verbs }))),
      ),
    ),
  );
  const missing = await Promise.all(
    questions.map(async (asked) => {
      const granted = await Promise.all(asked.verbs.map((verb) => isAllowed(client, asked, verb)));
      return { ...asked, verbs: asked.verbs.filter((_, i) => !granted[i]) };
    }),
  );
  return missing.filter(({ verbs }) => verbs.length > 0);
}

async function isAllowed(
  client: Client,
  { group, resource: path, name, namespace }: Omit<MissingAccess, 'verbs'>,
  verb: Verb,
): Promise<boolean> {
  const [resource = '', subresource] = path.split('/');
  const resourceAttributes = { group, resource, ...(subresource && { subresource }), name, verb, namespace };
  const review = await client.create(SelfSubjectAccessReview, { spec: { resourceAttributes } });
  return review.status.allowed;
}

/** The rule as it is written in a Role, and the namespace of that. */
export function printMissing({ group, resource, name, verbs, namespace }: MissingAccess): string {
  const list = (values: readonly string[]) => JSON.stringify(values);
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  const names = name === undefined ? '' : `, resourceNames: ${list([name])}`;
  return `apiGroups: ${list([group])}, resources: ${list([resource])}${names}, verbs: ${list(verbs)}${where}`;
}
