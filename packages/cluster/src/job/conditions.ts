/** The conditions of a Job, in Kubernetes' words and by its rules. */
import { timestamp } from '@keelson/core';
import type { Job, JobCondition, JobStatus } from '@keelson/core/batch/v1';

type Conditions = readonly JobCondition[];
export type ConditionType = 'Complete' | 'Failed' | 'FailureTarget' | 'SuccessCriteriaMet' | 'Suspended';

export interface Statement {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export const suspended: Statement = {
  type: 'Suspended',
  status: 'True',
  reason: 'JobSuspended',
  message: 'Job suspended',
};
export const resumed: Statement = { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' };

export const trueCondition = ({ conditions = [] }: JobStatus, type: ConditionType): JobCondition | undefined =>
  conditions.find((each) => each.type === type && each.status === 'True');

/** How it ended; `undefined` as long as it has not. */
export const finishedCondition = ({ status }: Job): JobCondition | undefined =>
  status.conditions?.find(({ type, status: is }) => (type === 'Complete' || type === 'Failed') && is === 'True');

/** A condition that says what is said already stays as it is, and one that was never true does not become false. */
export function withCondition(conditions: Conditions, statement: Statement, wallMs: number): Conditions {
  const { type, status, reason, message } = statement;
  const now = timestamp(wallMs);
  const next: JobCondition = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  const current = conditions.find((each) => each.type === type);
  if (!current) return status === 'True' ? [...conditions, next] : conditions;
  const isSaid = current.status === status && current.reason === reason && current.message === message;
  return isSaid ? conditions : conditions.map((each) => (each === current ? next : each));
}
