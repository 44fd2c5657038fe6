/** Who an operator is on a cluster of ours: a service account that may do what its rules say, and no more. */
import type { Client } from '@keelson/client';
import type { PolicyRule } from '@keelson/core';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { Namespace, ServiceAccount } from '@keelson/core/v1';

/** An account, and what it may do. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
}

/** Makes the account with its namespace and role, or brings the rules up to date; resolves with its name as a user. */
export async function applyAccount(client: Client, { namespace, name, rules }: Account): Promise<string> {
  const metadata = { name: `${namespace}:${name}` };
  await client.apply(Namespace, { metadata: { name: namespace } });
  await client.apply(ServiceAccount, { metadata: { name, namespace } });
  await client.apply(ClusterRole, { metadata, rules });
  await client.apply(ClusterRoleBinding, {
    metadata,
    roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: metadata.name },
    subjects: [{ kind: ServiceAccount.kind, name, namespace }],
  });
  return `system:serviceaccount:${namespace}:${name}`;
}
