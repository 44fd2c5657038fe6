/** An operator of the demo may do what follows from its declaration, and no more: as it is in a real cluster. */
import type { Client } from '@keelson/client';
import { applyAccount, type Cluster } from '@keelson/cluster';
import { type Operator, rulesOf, type Transport } from '@keelson/core';

/** Makes the operator's account with its role; returns the way in with these rights. */
export async function underOwnRules(cluster: Cluster, client: Client, operator: Operator): Promise<Transport> {
  const user = await applyAccount(client, { namespace: 'default', name: operator.name, rules: rulesOf(operator) });
  return cluster.transportAs({ name: user, groups: [] });
}
