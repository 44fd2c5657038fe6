/**
 * The conditions of a Deployment, in Kubernetes' words and by its rules.
 *
 * A condition whose status and reason stay is not touched, not even its message; one that changes moves to the end, and
 * its transition time changes only with its status.
 */
import { timestamp } from '@keelson/core';
import type { DeploymentCondition, ReplicaSet } from '@keelson/core/apps/v1';

export type Conditions = readonly DeploymentCondition[];

export interface Statement {
  readonly type: 'Available' | 'Progressing' | 'ReplicaFailure';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const find = (conditions: Conditions, type: Statement['type']): DeploymentCondition | undefined =>
  conditions.find((each) => each.type === type);

export const without = (conditions: Conditions, type: Statement['type']): Conditions =>
  conditions.filter((each) => each.type !== type);

export function set(conditions: Conditions, statement: Statement, wallMs: number): Conditions {
  const current = find(conditions, statement.type);
  const isUnchanged = current?.status === statement.status && current.reason === statement.reason;
  return isUnchanged ? conditions : renew(conditions, statement, wallMs);
}

/** Sets it even if status and reason stay: the time of its last update says when progress was last made. */
export function renew(conditions: Conditions, statement: Statement, wallMs: number): Conditions {
  const current = find(conditions, statement.type);
  const now = timestamp(wallMs);
  const lastTransitionTime = current?.status === statement.status ? current.lastTransitionTime : now;
  return [...without(conditions, statement.type), { ...statement, lastUpdateTime: now, lastTransitionTime }];
}

export const minimumAvailability = (isReached: boolean): Statement =>
  isReached
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };

const progressing = (status: Statement['status'], reason: string, message: string): Statement => ({
  type: 'Progressing',
  status,
  reason,
  message,
});

export const paused = progressing('Unknown', 'DeploymentPaused', 'Deployment is paused');
export const resumed = progressing('Unknown', 'DeploymentResumed', 'Deployment is resumed');
export const created = (name: string) =>
  progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
export const foundNew = (name: string) => progressing('True', 'FoundNewReplicaSet', `Found new replica set "${name}"`);
export const createFailed = (name: string, why: string) =>
  progressing('False', 'ReplicaSetCreateError', `Failed to create new replica set "${name}": ${why}`);

/** `subject` is `ReplicaSet "x"`, or `Deployment "x"` while there is no new ReplicaSet. */
export const complete = (subject: string) =>
  progressing('True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`);
export const underWay = (subject: string) => progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`);
export const timedOut = (subject: string) =>
  progressing('False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`);

/** The first failure that a ReplicaSet reports; the newest one's counts before those of the others. */
export function replicaFailure(
  newest: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): DeploymentCondition | undefined {
  const failures = [...(newest ? [newest] : []), ...all].flatMap(({ status }) =>
    (status.conditions ?? []).filter(({ type }) => type === 'ReplicaFailure'),
  );
  const [failure] = failures;
  return failure && { ...failure, lastUpdateTime: failure.lastTransitionTime };
}

/** A failure is reported for as long as a ReplicaSet reports it. */
export function withFailure(conditions: Conditions, failure: DeploymentCondition | undefined): Conditions {
  const current = find(conditions, 'ReplicaFailure');
  if (failure && current?.status === failure.status && current.reason === failure.reason) return conditions;
  const others = without(conditions, 'ReplicaFailure');
  if (!failure) return others;
  const isSameStatus = current?.status === failure.status;
  return [...others, isSameStatus ? { ...failure, lastTransitionTime: current.lastTransitionTime } : failure];
}
