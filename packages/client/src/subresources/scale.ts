/** The scale of anything that has one: how many replicas it has and shall have, whatever its kind. */
import type { Kind, NamespacedName } from '@keelson/core';
import type { Scale } from '@keelson/core/autoscaling/v1';
import type { Client, GetOptions, WriteOptions } from '../client/client.ts';

/** How many replicas an object asks for and has, for any kind with a `scale` subresource. */
export async function getScale(
  client: Client,
  kind: Kind,
  key: NamespacedName,
  options?: Omit<GetOptions, 'subresource'>,
): Promise<Scale> {
  return (await client.get(kind, key, { ...options, subresource: 'scale' })) as unknown as Scale;
}

/** Asks for so many replicas, through the `scale` subresource; needs no right to change anything else. */
export async function setScale(
  client: Client,
  kind: Kind,
  key: NamespacedName,
  replicas: number,
  options?: Omit<WriteOptions, 'subresource'>,
): Promise<Scale> {
  const patch = { spec: { replicas } };
  return (await client.patch(kind, key, patch, { ...options, subresource: 'scale' })) as unknown as Scale;
}
