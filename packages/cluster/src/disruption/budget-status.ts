/**
 * The status of a PodDisruptionBudget: how many pods there should be, how many must stay, and how many may go now.
 *
 * Pods that an eviction was granted for count as gone, until they are, or until it is clear that they will not be.
 */
import { type Condition, setCondition } from '@keelson/core';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '@keelson/core/policy/v1';
import type { Pod } from '@keelson/core/v1';
import { isReady } from '../replicaset/pods.ts';

/** How long a granted eviction may take to show on the pod. */
const deletionTimeoutMs = 120_000;

export interface Counts {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** `scale` is what those who control the pods want to have; only shares and `maxUnavailable` need it. */
export function countsOf(spec: PodDisruptionBudgetSpec, pods: readonly Pod[], scale: number): Counts {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - amount(maxUnavailable, scale)) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  if (minAvailable !== undefined) return { expectedPods: scale, desiredHealthy: amount(minAvailable, scale) };
  return { expectedPods: 0, desiredHealthy: 0 };
}

/** Whether the budget can be judged only by what the pods' controllers want. */
export const needsScale = ({ minAvailable, maxUnavailable }: PodDisruptionBudgetSpec): boolean =>
  maxUnavailable !== undefined || typeof minAvailable === 'string';

function amount(value: number | string, total: number): number {
  if (typeof value === 'number') return value;
  const [, percent] = /^(\d+)%$/.exec(value) ?? [];
  if (percent === undefined)
    throw new RangeError('invalid value for IntOrString: invalid type: string is not a percentage');
  return Math.ceil((Number(percent) * total) / 100);
}

export interface Disrupted {
  /** The granted evictions that are still to be waited for. */
  readonly pods: Readonly<Record<string, string>>;
  /** The pods that should have been deleted long ago. */
  readonly overdue: readonly Pod[];
  /** When the first of those that are waited for is overdue, in milliseconds from now. */
  readonly recheckMs: number | undefined;
}

export function disruptedIn({ status }: PodDisruptionBudget, pods: readonly Pod[], wallMs: number): Disrupted {
  const waiting: [name: string, since: string][] = [];
  const overdue: Pod[] = [];
  let recheckMs: number | undefined;
  for (const pod of pods) {
    const since = status?.disruptedPods?.[pod.metadata.name];
    if (since === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const leftMs = Date.parse(since) + deletionTimeoutMs - wallMs;
    if (leftMs < 0) overdue.push(pod);
    else {
      waiting.push([pod.metadata.name, since]);
      recheckMs = Math.min(recheckMs ?? leftMs, leftMs);
    }
  }
  return { pods: Object.fromEntries(waiting), overdue, recheckMs };
}

export function statusOf(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { expectedPods, desiredHealthy }: Counts,
  disrupted: Disrupted,
  wallMs: number,
): PodDisruptionBudgetStatus {
  const currentHealthy = pods.filter(
    (pod) => pod.metadata.deletionTimestamp === undefined && !(pod.metadata.name in disrupted.pods) && isReady(pod),
  ).length;
  // A budget that expects no pods allows nothing, so that it is safe when its first pods appear.
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const { generation } = budget.metadata;
  return {
    observedGeneration: generation,
    ...(Object.keys(disrupted.pods).length > 0 && { disruptedPods: disrupted.pods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
    conditions: conditionsOf(budget, disruptionsAllowed > 0, generation, wallMs),
  };
}

/** What is written when the numbers are unknown: nothing may go. The generation counts as not seen. */
export function failedStatus(budget: PodDisruptionBudget, message: string, wallMs: number): PodDisruptionBudgetStatus {
  const { status } = budget;
  const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message } as const;
  const generation = status?.observedGeneration;
  return {
    ...status,
    disruptionsAllowed: 0,
    conditions: setCondition(status?.conditions ?? [], failed, { generation, wallMs }),
  };
}

function conditionsOf(
  { status }: PodDisruptionBudget,
  isAllowed: boolean,
  generation: number | undefined,
  wallMs: number,
): readonly Condition[] {
  const condition = isAllowed
    ? ({ type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', message: '' } as const)
    : ({ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods', message: '' } as const);
  return setCondition(status?.conditions ?? [], condition, { generation, wallMs });
}
