/**
 * From how many pods there should be to how many there will be next: not below what was wanted a moment ago, not faster
 * than allowed, not outside of the bounds.
 */
import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@keelson/core/autoscaling/v2';

/** What was wanted and done before, by when. */
export interface Past {
  readonly recommendations: readonly { readonly replicas: number; readonly at: number }[];
  readonly added: readonly { readonly count: number; readonly at: number }[];
  readonly removed: readonly { readonly count: number; readonly at: number }[];
}

export const noPast: Past = { recommendations: [], added: [], removed: [] };

interface Remark {
  readonly reason: string;
  readonly message: string;
}

export interface Normalised {
  readonly replicas: number;
  readonly able: Remark;
  readonly limited: Remark & { readonly isLimited: boolean };
}

export interface Wanted {
  readonly current: number;
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly now: number;
}

/** As kube-controller-manager has it. */
const downscaleWindowMs = 5 * 60_000;

const ready: Remark = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const heldDown: Remark = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const heldUp: Remark = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};
const withinRange: Remark = {
  reason: 'DesiredWithinRange',
  message: 'the desired count is within the acceptable range',
};
const tooFast: Remark = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown: Remark = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const tooMany: Remark = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFew: Remark = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};

export function normalised(wanted: Wanted, past: Past): Normalised {
  const { behavior, desired } = wanted;
  const stable = behavior === undefined ? stabilised(wanted, past) : stabilisedBy(behavior, wanted, past);
  const held = wanted.desired >= wanted.current && behavior !== undefined ? heldUp : heldDown;
  const { replicas, why } =
    behavior === undefined ? bounded(stable, wanted) : boundedBy(behavior, stable, wanted, past);
  return { replicas, able: stable === desired ? ready : held, limited: { ...why, isLimited: replicas !== stable } };
}

function stabilised({ desired, now }: Wanted, { recommendations }: Past): number {
  const recent = recommendations.filter(({ at }) => at >= now - downscaleWindowMs);
  return Math.max(desired, ...recent.map(({ replicas }) => replicas));
}

function bounded(desired: number, { current, min, max }: Wanted): { readonly replicas: number; readonly why: Remark } {
  // No more than twice as many at once, and four in any case: what is measured may be wrong.
  const limit = Math.max(2 * current, 4);
  const most = Math.min(max, limit);
  if (desired < min) return { replicas: min, why: tooFew };
  if (desired > most) return { replicas: most, why: max > limit ? tooFast : tooMany };
  return { replicas: desired, why: withinRange };
}

const windowOf = (rules: HPAScalingRules | undefined, otherwise: number): number =>
  rules?.stabilizationWindowSeconds === undefined ? otherwise : rules.stabilizationWindowSeconds * 1000;

function stabilisedBy(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  { desired, current, now }: Wanted,
  { recommendations }: Past,
): number {
  const within = (windowMs: number) =>
    recommendations.filter(({ at }) => at > now - windowMs).map(({ replicas }) => replicas);
  const lowest = Math.min(desired, ...within(windowOf(scaleUp, 0)));
  const highest = Math.max(desired, ...within(windowOf(scaleDown, downscaleWindowMs)));
  return Math.min(Math.max(current, lowest), highest);
}

function boundedBy(
  { scaleUp, scaleDown }: HorizontalPodAutoscalerBehavior,
  desired: number,
  { current, min, max, now }: Wanted,
  past: Past,
): { readonly replicas: number; readonly why: Remark } {
  if (desired > current) {
    const limit = Math.max(current, rateLimit(scaleUp, 'up', current, past, now));
    const most = Math.min(max, limit);
    if (desired > most) return { replicas: most, why: max > limit ? tooFast : tooMany };
  } else if (desired < current) {
    const limit = Math.min(current, rateLimit(scaleDown, 'down', current, past, now));
    const least = Math.max(min, limit);
    if (desired < least) return { replicas: least, why: min < limit ? tooFastDown : tooFew };
  }
  return { replicas: desired, why: withinRange };
}

const changesSince = (changes: Past['added'], since: number): number =>
  changes.filter(({ at }) => at > since).reduce((sum, { count }) => sum + count, 0);

function rateLimit(
  rules: HPAScalingRules | undefined,
  direction: 'up' | 'down',
  current: number,
  { added, removed }: Past,
  now: number,
): number {
  if (rules?.selectPolicy === 'Disabled') return current;
  const limits = (rules?.policies ?? []).map(({ type, value, periodSeconds }) => {
    const since = now - periodSeconds * 1000;
    const before = current - changesSince(added, since) + changesSince(removed, since);
    if (direction === 'up') return type === 'Pods' ? before + value : Math.ceil(before * (1 + value / 100));
    return type === 'Pods' ? before - value : Math.trunc(before * (1 - value / 100));
  });
  const isSmallStep = rules?.selectPolicy === 'Min';
  return isSmallStep === (direction === 'up') ? Math.min(...limits) : Math.max(...limits);
}

/** How long the past matters to anybody. */
const memoryMs = 3600_000;

export function remembered(
  past: Past,
  now: number,
  change: Partial<{ wanted: number; from: number; to: number }>,
): Past {
  const young = <T extends { readonly at: number }>(list: readonly T[]) => list.filter(({ at }) => at > now - memoryMs);
  const { wanted, from = 0, to = 0 } = change;
  return {
    recommendations: [...young(past.recommendations), ...(wanted === undefined ? [] : [{ replicas: wanted, at: now }])],
    added: [...young(past.added), ...(to > from ? [{ count: to - from, at: now }] : [])],
    removed: [...young(past.removed), ...(to < from ? [{ count: from - to, at: now }] : [])],
  };
}
