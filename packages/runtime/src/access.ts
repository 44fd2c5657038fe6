/** Access check: asks the API server, before anything needs it, which declared rules are not granted. */
import type { Client } from '@keelson/client';
import type { PolicyRule, Verb } from '@keelson/core';
import { SelfSubjectAccessReview } from '@keelson/core/authorization/v1';

/** Verbs on a resource that the user of a client does not have. */
export interface MissingAccess {
  readonly group: string;
  /** With its subresource: `memcacheds/status`. */
  readonly resource: string;
  readonly verbs: readonly Verb[];
}

/** The parts of `rules` that the client's user does not have in all namespaces. */
export async function missingAccess(client: Client, rules: readonly PolicyRule[]): Promise<readonly MissingAccess[]> {
  const missing = await Promise.all(
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.map(async (resource) => {
          const granted = await Promise.all(verbs.map((verb) => isAllowed(client, group, resource, verb)));
          return { group, resource, verbs: verbs.filter((_, i) => !granted[i]) };
        }),
      ),
    ),
  );
  return missing.filter(({ verbs }) => verbs.length > 0);
}

async function isAllowed(client: Client, group: string, path: string, verb: Verb): Promise<boolean> {
  const [resource = '', subresource] = path.split('/');
  const resourceAttributes = { group, resource, ...(subresource && { subresource }), verb };
  const review = await client.create(SelfSubjectAccessReview, { spec: { resourceAttributes } });
  return review.status.allowed;
}

/** The rule as it is written in a Role. */
export function printMissing({ group, resource, verbs }: MissingAccess): string {
  const list = (values: readonly string[]) => JSON.stringify(values);
  return `apiGroups: ${list([group])}, resources: ${list([resource])}, verbs: ${list(verbs)}`;
}
