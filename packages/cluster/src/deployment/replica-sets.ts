/** The ReplicaSets of a Deployment: which is the new one, which are old, what a new one looks like. */
import { controllerReference, equalJson } from '@keelson/core';
import { Deployment, type NewReplicaSet, type ReplicaSet } from '@keelson/core/apps/v1';
import type { PodTemplateSpec } from '@keelson/core/v1';
import { newestAnnotations, nextRevision, revisionOf, sizeAnnotations } from './annotations.ts';
import { replicasOf } from './bounds.ts';
import { canonical, templateHash } from './template-hash.ts';

const hashLabel = 'pod-template-hash';

export interface ReplicaSets {
  /** The one with the Deployment's own template, if it exists. */
  readonly newest: ReplicaSet | undefined;
  /** All others, oldest first. */
  readonly old: readonly ReplicaSet[];
}

export const isActive = (replicaSet: ReplicaSet): boolean => replicasOf(replicaSet) > 0;

export function allOf({ newest, old }: ReplicaSets): readonly ReplicaSet[] {
  return newest ? [...old, newest] : old;
}

/** Of several with the same template, the oldest is the new one. */
export function sortOut(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSets {
  const sorted = [...replicaSets].sort(byAge);
  const newest = sorted.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
  return { newest, old: sorted.filter((each) => each !== newest) };
}

/** Oldest first; the name decides between those of the same second. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return (
    compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) || compare(a.metadata.name, b.metadata.name)
  );
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a), revisionOf(b)];
  return left === right ? byAge(a, b) : left < right ? -1 : 1;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The label with the hash is ours, and no part of what the user wants. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return canonical(withoutHash(a)) === canonical(withoutHash(b));
}

function withoutHash(template: PodTemplateSpec = {}): PodTemplateSpec {
  const { [hashLabel]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** The ReplicaSet that the Deployment lacks, with the replicas that `replicas` allows it. */
export function newReplicaSet(
  deployment: Deployment,
  old: readonly ReplicaSet[],
  replicas: number,
): NewReplicaSet & { readonly metadata: { readonly name: string; readonly namespace: string } } {
  const { name, namespace } = deployment.metadata;
  const { template, selector, minReadySeconds } = deployment.spec;
  const hash = templateHash(template, deployment.status.collisionCount);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return {
    metadata: {
      name: `${name.slice(0, 253 - 1 - hash.length)}-${hash}`,
      namespace,
      labels,
      annotations: {
        ...newestAnnotations(deployment, {}, nextRevision(old)),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(Deployment, deployment)],
    },
    spec: {
      replicas,
      ...(minReadySeconds ? { minReadySeconds } : {}),
      selector: { ...selector, matchLabels: { ...selector.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** What keeps the newest ReplicaSet up to date beside its size; `undefined` when it is. */
export function refreshed(deployment: Deployment, { newest, old }: ReplicaSets): ReplicaSet | undefined {
  if (!newest) return undefined;
  const current = newest.metadata.annotations ?? {};
  const annotations = newestAnnotations(deployment, current, nextRevision(old));
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (equalJson(annotations, current) && (newest.spec.minReadySeconds ?? 0) === minReadySeconds) return undefined;
  return { ...newest, metadata: { ...newest.metadata, annotations }, spec: { ...newest.spec, minReadySeconds } };
}

/** Old ReplicaSets beyond `revisionHistoryLimit` that have no pods, least recent revision first. */
export function outdated(deployment: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = deployment.spec.revisionHistoryLimit ?? unlimited;
  if (limit === unlimited) return [];
  const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined).sort(byRevision);
  return alive.slice(0, Math.max(alive.length - limit, 0)).filter(isIdle);
}

const unlimited = 2 ** 31 - 1;

function isIdle({ metadata, spec, status }: ReplicaSet): boolean {
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return status.replicas === 0 && spec.replicas === 0 && isObserved;
}
