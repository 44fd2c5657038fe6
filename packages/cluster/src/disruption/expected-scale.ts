/**
 * How many pods those who control some pods want to have together, each of them counted once: Deployments, ReplicaSets,
 * StatefulSets, ReplicationControllers, and whatever else has a scale.
 */
import type { Client, Discovery, StoreReader } from '@keelson/client';
import { controllerOf, isNotFound, type OwnerReference, resourceNameOf } from '@keelson/core';
import { Deployment, ReplicaSet, StatefulSet } from '@keelson/core/apps/v1';
import type { Scale } from '@keelson/core/autoscaling/v1';
import { type Pod, ReplicationController } from '@keelson/core/v1';
import { resourcesOf } from '../resources.ts';

export interface ScaleSources {
  readonly client: Client;
  readonly discovery: Discovery;
  readonly deployments: StoreReader<Deployment>;
  readonly replicaSets: StoreReader<ReplicaSet>;
  readonly statefulSets: StoreReader<StatefulSet>;
  readonly replicationControllers: StoreReader<ReplicationController>;
}

export interface ExpectedScale {
  readonly scale: number;
  /** Whether there are pods without a controller. */
  readonly hasUnmanaged: boolean;
}

interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

export async function expectedScale(sources: ScaleSources, pods: readonly Pod[]): Promise<ExpectedScale> {
  const found = new Map<string, number>();
  let hasUnmanaged = false;
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined) hasUnmanaged = true;
    else if (!found.has(owner.uid)) {
      const { namespace } = pod.metadata;
      const scaled = workload(sources, owner, namespace) ?? (await byScale(sources, owner, namespace));
      if (scaled === undefined) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
      found.set(scaled.uid, scaled.replicas);
    }
  }
  return { scale: [...found.values()].reduce((sum, replicas) => sum + replicas, 0), hasUnmanaged };
}

function workload(sources: ScaleSources, owner: OwnerReference, namespace: string): Scaled | undefined {
  const key = `${namespace}/${owner.name}`;
  switch (`${groupOf(owner)} ${owner.kind}`) {
    case ` ${ReplicationController.kind}`:
      return scaled(sources.replicationControllers.get(key), owner);
    case `${StatefulSet.group} ${StatefulSet.kind}`:
      return scaled(sources.statefulSets.get(key), owner);
    case `${ReplicaSet.group} ${ReplicaSet.kind}`: {
      const replicaSet = sources.replicaSets.get(key);
      const above = replicaSet && controllerOf(replicaSet);
      if (above?.kind !== Deployment.kind) return scaled(replicaSet, owner);
      if (replicaSet?.metadata.uid !== owner.uid || groupOf(above) !== Deployment.group) return undefined;
      return scaled(sources.deployments.get(`${namespace}/${above.name}`), above);
    }
    default:
      return undefined;
  }
}

const groupOf = ({ apiVersion }: OwnerReference): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

function scaled(
  object:
    | { readonly metadata: { readonly uid: string }; readonly spec?: { readonly replicas?: number | undefined } }
    | undefined,
  { uid }: OwnerReference,
): Scaled | undefined {
  return object?.metadata.uid === uid ? { uid, replicas: object.spec?.replicas ?? 1 } : undefined;
}

async function byScale(
  { client, discovery }: ScaleSources,
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
): Promise<Scaled | undefined> {
  const resource = resourcesOf(await discovery.read()).find(apiVersion, kind);
  if (resource === undefined) {
    throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
  if (!resource.subresources.includes('scale')) {
    throw new Error(`${resourceNameOf(resource)} does not implement the scale subresource`);
  }
  try {
    const scale = (await client.get(resource, `${namespace}/${name}`, { subresource: 'scale' })) as unknown as Scale;
    return scale.metadata?.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
