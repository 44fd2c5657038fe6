/** The Deployment whose pods run this program, as the owner of what the program makes for itself. */
import { apiVersionOf, isForbidden, type NamespacedName, type OwnerReference, parseKey } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import type { CallOptions, Client } from '../client/client.ts';

/**
 * The reference by which an object goes when its Deployment does; the garbage collector looks after that. None where
 * there is no such Deployment, or where it must not be read.
 *
 * @example
 * const owner = await owningDeployment(client, 'web-system/web');
 * await client.create(Secret, { metadata: { name, namespace, ...(owner && { ownerReferences: [owner] }) } });
 */
export async function owningDeployment(
  client: Client,
  key: NamespacedName,
  options: CallOptions = {},
): Promise<OwnerReference | undefined> {
  const found = await client.find(Deployment, key, options).catch((error: unknown) => {
    if (isForbidden(error)) return undefined;
    throw error;
  });
  if (found === undefined) return undefined;
  const { name } = parseKey(key);
  // Neither its controller nor waited for: it only goes with it.
  return { apiVersion: apiVersionOf(Deployment), kind: Deployment.kind, name, uid: found.metadata.uid };
}
