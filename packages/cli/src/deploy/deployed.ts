/**
 * What deploys have made on a cluster, and nothing else: by a label, and by the record of who applied it.
 *
 * A label alone is copied along when somebody copies an object; the field manager of an apply is not.
 */
import { type Client, createDiscovery } from '@keelson/client';
import { isForbidden, isNotFound, type Kind, keyOf, metadataOf, type ObjectMeta } from '@keelson/core';
import { painted } from '../print.ts';
import type { Shell } from '../shell.ts';

/** Names the operator on each object of a deploy. */
export const deployedLabel = 'deploy.keelson/operator';

/** The field manager of deploys. */
export const deployManager = 'keelson-deploy';

/** What became of an object. */
export interface ObjectResult {
  /** `Deployment web-system/web` */
  readonly object: string;
  readonly result: 'created' | 'changed' | 'unchanged' | 'deleted' | 'kept';
  /** Why it was kept, or what went with it. */
  readonly note?: string;
}

const styles = { created: 'green', changed: 'yellow', unchanged: 'dim', deleted: 'red', kept: 'dim' } as const;

/** `created    Deployment web-system/web` */
export const lineOf = ({ object, result, note = '' }: ObjectResult, shell: Shell): string =>
  `${painted(shell, styles[result], result.padEnd(9))}  ${object}${note}\n`;

export interface DeployedObject {
  readonly kind: Kind;
  readonly key: string;
  readonly uid: string;
}

/** `Deployment web-system/web` */
export const nameOf = ({ kind, key }: Pick<DeployedObject, 'kind' | 'key'>): string => `${kind.kind} ${key}`;

export async function deployedObjects(client: Client, operator: string): Promise<readonly DeployedObject[]> {
  const found = await listEverywhere(client, { labels: { [deployedLabel]: operator } });
  return found.filter(({ metadata }) => isOurs(metadata)).map(({ kind, metadata }) => address(kind, metadata));
}

/** What is in a namespace besides what Kubernetes itself puts into every one, or makes of the rest. */
export async function othersIn(client: Client, namespace: string): Promise<readonly DeployedObject[]> {
  const found = await listEverywhere(client, { namespace });
  return found
    .filter(({ kind, metadata }) => {
      const { name = '', deletionTimestamp, ownerReferences = [] } = metadata;
      const isOfTheCluster = byKubernetes.has(kind.kind) || byKubernetes.has(`${kind.kind} ${name}`);
      return deletionTimestamp === undefined && ownerReferences.length === 0 && !isOfTheCluster;
    })
    .map(({ kind, metadata }) => address(kind, metadata));
}

const byKubernetes = new Set([
  'Event',
  'EndpointSlice',
  'PodMetrics',
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap openshift-service-ca.crt',
]);

export const isOurs = ({ managedFields = [] }: ObjectMeta): boolean =>
  managedFields.some(({ manager, operation }) => manager === deployManager && operation === 'Apply');

const address = (kind: Kind, metadata: ObjectMeta): DeployedObject => ({
  kind,
  key: keyOf({ metadata: { namespace: metadata.namespace, name: metadata.name ?? '' } }),
  uid: metadata.uid ?? '',
});

const atOnce = 8;

/** Every kind in the version that the server prefers, with what of it is selected. Kinds that nobody may list have none. */
async function listEverywhere(
  client: Client,
  selection: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> },
): Promise<readonly { readonly kind: Kind; readonly metadata: ObjectMeta }[]> {
  const all = await createDiscovery(client).all();
  const kinds = new Map<string, Kind>();
  for (const kind of all) {
    const name = `${kind.group}/${kind.kind}`;
    // Of Endpoints the server says that nobody should ask for them any more; it makes them itself.
    const isWanted = kind.verbs.includes('list') && kind.verbs.includes('delete') && kind.kind !== 'Endpoints';
    const isInReach = selection.namespace === undefined || kind.scope === 'Namespaced';
    if (isWanted && isInReach && !kinds.has(name)) kinds.set(name, kind);
  }
  const waiting = [...kinds.values()];
  const found: { readonly kind: Kind; readonly metadata: ObjectMeta }[] = [];
  const work = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const { group, version, resource, scope } = kind;
      const listed: Kind = { group, version, kind: kind.kind, resource, scope };
      try {
        const { items } = await client.list(metadataOf(listed), selection);
        for (const { metadata } of items) found.push({ kind: listed, metadata });
      } catch (error) {
        if (!isForbidden(error) && !isNotFound(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const textOf = ({ kind, metadata }: (typeof found)[number]) => `${kind.kind} ${metadata.namespace}/${metadata.name}`;
  return found.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}
