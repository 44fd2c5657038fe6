/**
 * Definitions that a change of a kind's plural has left on a cluster.
 *
 * A server serves each kind of a group once, so that the new definition is not accepted while the old one is there; and
 * the objects of the old one are seen by nobody who asks for the new plural.
 */
import type { Client } from '@keelson/client';
import { isForbidden } from '@keelson/core';
import { CustomResourceDefinition, type NewCustomResourceDefinition } from '@keelson/core/apiextensions/v1';

export interface FormerDefinition {
  /** Such as `website.example.com`. */
  readonly name: string;
  /** What has its kind now. */
  readonly now: string;
  readonly kind: string;
}

/** Those of the same group and kind under another name; none, where nobody may list them. */
export async function formerDefinitions(
  client: Client,
  definitions: readonly NewCustomResourceDefinition[],
): Promise<readonly FormerDefinition[]> {
  try {
    const { items } = await client.list(CustomResourceDefinition);
    return definitions.flatMap(({ metadata: { name: now = '' }, spec: { group, names } }) =>
      items
        .filter(({ metadata, spec }) => metadata.name !== now && spec.group === group && spec.names.kind === names.kind)
        .map(({ metadata: { name } }) => ({ name, now, kind: names.kind })),
    );
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/** What to do about it. */
export const howToRemove = ({ name }: FormerDefinition): string =>
  `"kubectl delete crd ${name}" deletes it with its objects, so make these anew under the new plural`;
