/** How many pods a rollout may add and take away: `maxSurge` and `maxUnavailable` as numbers. */
import type { Deployment } from '@keelson/core/apps/v1';

export interface Bounds {
  /** Pods above `spec.replicas` that may exist. */
  readonly surge: number;
  /** Pods below `spec.replicas` that need not be available. */
  readonly unavailable: number;
}

export const replicasOf = ({ spec }: { readonly spec: { readonly replicas?: number | undefined } }): number =>
  spec.replicas ?? 1;

export const isRollingUpdate = ({ spec }: Pick<Deployment, 'spec'>): boolean => spec.strategy?.type !== 'Recreate';

export function boundsOf(deployment: Pick<Deployment, 'spec'>): Bounds {
  if (!isRollingUpdate(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = replicasOf(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, replicas, Math.ceil);
  const unavailable = countOf(maxUnavailable, replicas, Math.floor);
  // Percentages may round both down to nothing, and then no rollout could ever begin.
  return { surge, unavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) };
}

export function countOf(value: number | string, total: number, round: (count: number) => number): number {
  if (typeof value === 'number') return value;
  const [, percent] = /^(\d+)%$/.exec(value) ?? [];
  if (percent === undefined) throw new RangeError(`neither a number nor a percentage: ${value}`);
  return round((Number(percent) * total) / 100);
}
