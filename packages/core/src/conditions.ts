/**
 * Conditions: what a controller reports about an object, in the shape of Kubernetes' API conventions.
 *
 * Promises: `lastTransitionTime` changes only when the status of that condition changes; a condition that speaks of an
 * older generation is never mistaken for a statement about the current one.
 */
import { timestamp } from './clock.ts';
import type { Condition } from './generated/meta/v1.ts';

export type { Condition };

/** Whether a condition holds. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition as an author states it; the time and the generation are stamped when it is written. */
export interface ConditionInput<Type extends string = string> {
  readonly type: Type;
  readonly status: ConditionStatus;
  /** CamelCase, stable, for programs: `MinimumReplicasUnavailable`. */
  readonly reason: string;
  /** For people; without timestamps or anything else that changes while the meaning does not. */
  readonly message: string;
}

/** `conditions` with `input` in its place, stamped. Other conditions are kept as they are, in their order. */
export function setCondition(
  conditions: readonly Condition[],
  input: ConditionInput,
  { generation, wallMs }: { readonly generation: number | undefined; readonly wallMs: number },
): readonly Condition[] {
  const previous = conditions.find(({ type }) => type === input.type);
  const stamped: Condition = {
    type: input.type,
    status: input.status,
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: previous?.status === input.status ? previous.lastTransitionTime : timestamp(wallMs),
    reason: input.reason,
    message: input.message,
  };
  return previous ? conditions.map((each) => (each === previous ? stamped : each)) : [...conditions, stamped];
}

/** A condition of any kind: the built-in ones have shapes of their own, with less in them. */
export interface ReportedCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/**
 * What an object says about itself under `type`: `Unknown` when it says nothing, or when it has not yet looked at the
 * current generation. Conditions of built-in kinds name none; there it is the status that does, if anything.
 */
export function conditionOf(
  object: {
    readonly metadata: { readonly generation?: number | undefined };
    readonly status?:
      | {
          readonly conditions?: readonly ReportedCondition[] | null | undefined;
          readonly observedGeneration?: number | undefined;
        }
      | undefined;
  },
  type: string,
): ConditionInput {
  const condition = object.status?.conditions?.find((each) => each.type === type);
  if (condition === undefined) return { type, status: 'Unknown', reason: 'NotReported', message: '' };
  const { reason = '', message = '' } = condition;
  const observed = condition.observedGeneration ?? object.status?.observedGeneration ?? Number.POSITIVE_INFINITY;
  const isStale = observed < (object.metadata.generation ?? 0);
  return { type, status: isStale ? 'Unknown' : (condition.status as ConditionStatus), reason, message };
}
