/** An operator of the demo may do what follows from its declaration, and no more: as it is in a real cluster. */
import type { Client } from '@keelson/client';
import type { Cluster } from '@keelson/cluster';
import { type Operator, rulesOf, type Transport } from '@keelson/core';
import { ClusterRole, ClusterRoleBinding } from '@keelson/core/rbac/v1';
import { ServiceAccount } from '@keelson/core/v1';

const namespace = 'default';

/** Makes the operator's account with its role; returns the way in with these rights. */
export async function underOwnRules(cluster: Cluster, client: Client, operator: Operator): Promise<Transport> {
  const { name } = operator;
  await client.create(ServiceAccount, { metadata: { name, namespace } });
  await client.create(ClusterRole, { metadata: { name }, rules: rulesOf(operator) });
  await client.create(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name },
    subjects: [{ kind: ServiceAccount.kind, name, namespace }],
  });
  return cluster.transportAs({ name: `system:serviceaccount:${namespace}:${name}`, groups: [] });
}
