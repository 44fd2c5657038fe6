/**
 * What deploys have made on a cluster, and nothing else: by a label, and by the record of who applied it.
 *
 * A label alone is copied along when somebody copies an object; the field manager of an apply is not.
 */
import { type Client, createDiscovery } from '@keelson/client';
import {
  apiVersionOf,
  isForbidden,
  isNotFound,
  type Kind,
  keyOf,
  metadataOf,
  type ObjectMeta,
  type OwnerReference,
  resourceNameOf,
} from '@keelson/core';
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

/** Objects that were looked for, and the kinds of which whoever asks may not see any: `secrets`. */
interface Seen {
  readonly objects: readonly DeployedObject[];
  readonly hidden: readonly string[];
}

export async function deployedObjects(client: Client, operator: string): Promise<Seen> {
  const { found, hidden } = await listEverywhere(client, { labels: { [deployedLabel]: operator } });
  const ours = found.filter(({ metadata }) => isOurs(metadata));
  return { objects: ours.map(({ kind, metadata }) => address(kind, metadata)), hidden };
}

/** What is in a namespace besides what Kubernetes itself puts into every one, or makes of the rest. */
export async function othersIn(client: Client, namespace: string): Promise<Seen> {
  const { found, hidden, all } = await listEverywhere(client, { namespace });
  const isInNoNamespace = ({ apiVersion, kind }: OwnerReference) =>
    all.some((each) => each.scope === 'Cluster' && each.kind === kind && apiVersionOf(each) === apiVersion);
  const others = found.filter(({ kind, metadata }) => {
    const { name = '', deletionTimestamp, ownerReferences = [] } = metadata;
    const isOfTheCluster = byKubernetes.has(kind.kind) || byKubernetes.has(`${kind.kind} ${name}`);
    // What an object in no namespace owns does not go with anything that is in this one.
    const isPart = ownerReferences.some((owner) => !isInNoNamespace(owner));
    return deletionTimestamp === undefined && !isPart && !isOfTheCluster;
  });
  return { objects: others.map(({ kind, metadata }) => address(kind, metadata)), hidden };
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

/** Every kind in the version that the server prefers, with what of it is selected. */
async function listEverywhere(
  client: Client,
  selection: { readonly namespace?: string; readonly labels?: Readonly<Record<string, string>> },
): Promise<{
  readonly found: readonly { readonly kind: Kind; readonly metadata: ObjectMeta }[];
  readonly hidden: readonly string[];
  /** Every kind in all of its versions. */
  readonly all: readonly Kind[];
}> {
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
  const hidden: string[] = [];
  const work = async () => {
    for (let kind = waiting.shift(); kind !== undefined; kind = waiting.shift()) {
      const { group, version, resource, scope } = kind;
      const listed: Kind = { group, version, kind: kind.kind, resource, scope };
      try {
        const { items } = await client.list(metadataOf(listed), selection);
        for (const { metadata } of items) found.push({ kind: listed, metadata });
      } catch (error) {
        if (isForbidden(error)) hidden.push(resourceNameOf(listed));
        else if (!isNotFound(error)) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const textOf = ({ kind, metadata }: (typeof found)[number]) => `${kind.kind} ${metadata.namespace}/${metadata.name}`;
  return { found: found.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)), hidden: hidden.sort(), all };
}

const most = 5;

/** `a, b, c, d, e and 3 more` */
export const shortened = (names: readonly string[]): string =>
  names.length <= most ? names.join(', ') : `${names.slice(0, most).join(', ')} and ${names.length - most} more`;
