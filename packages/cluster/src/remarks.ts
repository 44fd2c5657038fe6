/**
 * What whoever writes an object is told about it, in a `Warning` header, which kubectl prints: that the kind has no effect
 * on this cluster, or that pods ask the scheduler for something that it does not look at.
 *
 * On an update only what was not asked for before is mentioned.
 */
import { compareQuantities, parseQuantity } from '@keelson/core';
import { podRequests } from '@keelson/core/quota';
import type { PodSpec } from '@keelson/core/v1';
import { inertKinds } from './inert-kinds.ts';
import { room } from './node/node-object.ts';

/** Where a resource keeps the specs of its pods. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  pods: ['spec'],
  replicationcontrollers: ['spec', 'template', 'spec'],
  'deployments.apps': ['spec', 'template', 'spec'],
  'replicasets.apps': ['spec', 'template', 'spec'],
  'statefulsets.apps': ['spec', 'template', 'spec'],
  'daemonsets.apps': ['spec', 'template', 'spec'],
  'jobs.batch': ['spec', 'template', 'spec'],
  'cronjobs.batch': ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
};

export function remarksOn(resource: string, object: object, old?: object): readonly string[] {
  const inert = inertKinds[resource];
  if (inert !== undefined) return [inert];
  const path = podSpecs[resource];
  if (path === undefined) return [];
  const before = new Set(old && ignoredIn(specAt(old, path)));
  return ignoredIn(specAt(object, path))
    .filter((field) => !before.has(field))
    .map((field) => `this cluster is simulated, and its scheduler does not look at ${[...path, field].join('.')}`);
}

const specAt = (object: object, path: readonly string[]): Partial<PodSpec> =>
  path.reduce<object>((value, name) => (value as Record<string, object | undefined>)[name] ?? {}, object);

/** The fields by which the spec asks for more than the scheduler here looks at. */
function ignoredIn({ topologySpreadConstraints, affinity, containers = [], ...rest }: Partial<PodSpec>): string[] {
  const asks: Readonly<Record<string, boolean>> = {
    topologySpreadConstraints: (topologySpreadConstraints?.length ?? 0) > 0,
    'affinity.podAffinity': affinity?.podAffinity !== undefined,
    'affinity.podAntiAffinity': affinity?.podAntiAffinity !== undefined,
    'affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution':
      (affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0,
    'containers[*].ports[*].hostPort': containers.some(({ ports = [] }) => ports.some(({ hostPort }) => hostPort)),
    'containers[*].resources.requests, which no node can satisfy': hasNoRoom({ ...rest, containers }),
  };
  return Object.keys(asks).filter((field) => asks[field]);
}

/** Whether the pod asks for more than the simulated node says that it has, such as any device at all. */
function hasNoRoom(spec: PodSpec): boolean {
  return [...podRequests(spec)].some(
    ([name, wanted]) => compareQuantities(wanted, parseQuantity(room[name] ?? '0')) > 0,
  );
}
