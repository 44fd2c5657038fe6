/**
 * The ControllerRevisions of a workload: which it has, the one for its template now, and which are too old to keep.
 *
 * Promises: a template that comes back gets its old revision with a new number, and no second one.
 */
import type { Client, InformerHandle } from '@keelson/client';
import {
  controllerReference,
  isAlreadyExists,
  isNotFound,
  type Kind,
  type KubernetesObject,
  keyOf,
  matchesLabels,
  type ObjectOf,
  type Requirement,
} from '@keelson/core';
import { ControllerRevision } from '@keelson/core/apps/v1';
import type { PodTemplateSpec } from '@keelson/core/v1';
import { claimObjects } from '../ownership/claim-objects.ts';
import { controlledBy, orphansIn } from '../ownership/controller-index.ts';
import { revisionText, templatePatch } from './revision-hash.ts';

/** How a kind calls its revisions. */
export interface Naming<Owner> {
  readonly hashLabel: string;
  readonly hash: (owner: Owner, data: unknown, collisionCount: number) => string;
}

export interface Remembered {
  readonly revision: ControllerRevision;
  readonly collisionCount: number;
}

/** A workload whose templates are remembered. */
export type Rememberer<K extends Kind> = ObjectOf<K> &
  KubernetesObject & {
    readonly spec: { readonly template: PodTemplateSpec };
    readonly status: { readonly collisionCount?: number | undefined };
  };

/** Those of the owner after orphans that it selects were adopted, oldest number first. */
export async function revisionsOf<K extends Kind>(
  client: Client,
  ownerKind: K,
  owner: ObjectOf<K> & KubernetesObject,
  selector: readonly Requirement[],
  { store }: InformerHandle<ControllerRevision>,
): Promise<readonly ControllerRevision[]> {
  const own = controlledBy(store, owner.metadata.uid).filter(({ metadata }) =>
    matchesLabels(selector, metadata.labels),
  );
  const orphans = orphansIn(store, owner.metadata.namespace ?? '');
  const adopted = await claimObjects({ client, ownerKind, owner, selector, kind: ControllerRevision }, orphans);
  return [...own, ...adopted].sort(byRevision);
}

/** The revision of the template that the owner has now: found, brought back, or made. */
export async function rememberTemplate<K extends Kind>(
  client: Client,
  kind: K,
  owner: Rememberer<K>,
  revisions: readonly ControllerRevision[],
  naming: Naming<Rememberer<K>>,
): Promise<Remembered> {
  const data = templatePatch(owner.spec.template);
  const text = revisionText(data);
  const latest = revisions.at(-1);
  const collisionCount = owner.status.collisionCount ?? 0;
  const equal = revisions.findLast((each) => revisionText(each.data) === text);
  if (equal && equal === latest) return { revision: equal, collisionCount };
  const revision = (latest?.revision ?? 0) + 1;
  if (equal) return { revision: await client.update(ControllerRevision, { ...equal, revision }), collisionCount };
  return create(client, kind, owner, { data, revision }, naming);
}

/** A name that another content has already is avoided by counting on. */
async function create<K extends Kind>(
  client: Client,
  kind: K,
  owner: Rememberer<K>,
  content: Pick<ControllerRevision, 'data' | 'revision'>,
  { hash, hashLabel }: Naming<Rememberer<K>>,
): Promise<Remembered> {
  const { name, namespace, annotations } = owner.metadata;
  for (let count = owner.status.collisionCount ?? 0; ; count += 1) {
    const suffix = hash(owner, content.data, count);
    const key = { name: `${name.slice(0, 223)}-${suffix}`, namespace: namespace ?? '' };
    const metadata = {
      ...key,
      labels: { ...owner.spec.template.metadata?.labels, [hashLabel]: suffix },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(kind, owner)],
    };
    try {
      return { revision: await client.create(ControllerRevision, { metadata, ...content }), collisionCount: count };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await client.get(ControllerRevision, `${key.namespace}/${key.name}`);
      if (revisionText(existing.data) === revisionText(content.data)) {
        return { revision: existing, collisionCount: count };
      }
    }
  }
}

/** Removes so many of those that nothing uses, oldest first. */
export async function forgetOld(client: Client, idle: readonly ControllerRevision[], count: number): Promise<void> {
  for (const revision of idle.slice(0, Math.max(count, 0))) {
    try {
      await client.delete(ControllerRevision, keyOf(revision));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  const text = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  return (
    a.revision - b.revision ||
    text(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    text(a.metadata.name, b.metadata.name)
  );
}
