/** Refuses a second installation of the same operator: each would elect a leader of its own, and both would write. */
import type { Client } from '@keelson/client';
import { isForbidden } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { CommandError } from '../command-error.ts';
import { installerOf } from './owners.ts';

/** Throws if the operator is in another namespace than this one. Whoever may not look there is let through. */
export async function requireNowhereElse(client: Client, operator: string, namespace: string): Promise<void> {
  const labels = { 'app.kubernetes.io/name': operator, 'app.kubernetes.io/component': 'manager' };
  const found = await client.list(Deployment, { labels }).catch((error: unknown) => {
    if (!isForbidden(error)) throw error;
    return { items: [] };
  });
  const other = found.items.find(({ metadata }) => metadata.namespace !== namespace && !metadata.deletionTimestamp);
  if (other === undefined) return;
  const place = other.metadata.namespace;
  const installer = installerOf(other);
  throw new CommandError(
    `nothing was changed, since ${operator} is in the namespace ${place} already${installer === undefined ? '' : `, by ${installer}`}, and two of it would work on the same objects`,
    installer === undefined
      ? `say --namespace ${place}, or take it off there first with "keelson undeploy"`
      : 'upgrade it there, or uninstall it there first',
  );
}
