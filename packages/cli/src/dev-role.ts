/** The account that an operator has on the cluster of `keelson dev`: its own, with the rules it declared and no more. */
import type { Client } from '@keelson/client';
import { applyAccount } from '@keelson/cluster';
import { parse, stringify } from 'yaml';
import { usualNamespace } from './definitions.ts';
import type { Loaded } from './dev-messages.ts';

/** Makes the account, or brings its rules up to date. */
export async function applyRole(client: Client, { name, rules }: Loaded): Promise<void> {
  await applyAccount(client, { namespace: usualNamespace({ name }), name, rules });
}

interface Kubeconfig {
  readonly users: readonly { readonly user: object }[];
  readonly contexts: readonly { readonly context: object }[];
}

/** The administrator's kubeconfig, acting as the operator's account, in its namespace. */
export function operatorKubeconfig(administrator: string, operator: Pick<Loaded, 'name'>): string {
  const config = parse(administrator) as Kubeconfig;
  const namespace = usualNamespace(operator);
  const as = `system:serviceaccount:${namespace}:${operator.name}`;
  return stringify({
    ...config,
    users: config.users.map((each) => ({ ...each, user: { ...each.user, as } })),
    contexts: config.contexts.map((each) => ({ ...each, context: { ...each.context, namespace } })),
  });
}
