/** The status of a Deployment: counts, conditions, and whether its rollout is complete, under way or stuck. */
import type { Deployment, DeploymentStatus, ReplicaSet } from '@keelson/core/apps/v1';
import { boundsOf, replicasOf } from './bounds.ts';
import * as conditions from './conditions.ts';
import { allOf, type ReplicaSets } from './replica-sets.ts';

const noDeadline = 2 ** 31 - 1;

/** The deadline within which a rollout must show progress; `undefined` when there is none. */
export function progressDeadlineMs({ spec }: Deployment): number | undefined {
  const { progressDeadlineSeconds: seconds } = spec;
  return seconds === undefined || seconds === noDeadline ? undefined : seconds * 1000;
}

/** Counts and availability, as they are; progress is not judged. */
export function statusOf(deployment: Deployment, replicaSets: ReplicaSets, wallMs: number): DeploymentStatus {
  const all = allOf(replicaSets);
  const sum = (of: (replicaSet: ReplicaSet) => number | undefined) =>
    all.reduce((total, each) => total + (of(each) ?? 0), 0);
  const availableReplicas = sum(({ status }) => status.availableReplicas);
  const minAvailable = replicasOf(deployment) - boundsOf(deployment).unavailable;
  const terminatingReplicas = terminating(all);
  return {
    ...counts({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: sum(({ status }) => status.replicas),
      updatedReplicas: replicaSets.newest?.status.replicas ?? 0,
      readyReplicas: sum(({ status }) => status.readyReplicas),
      availableReplicas,
      unavailableReplicas: Math.max(0, sum(replicasOf) - availableReplicas),
    }),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(deployment.status.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
    conditions: conditions.set(
      deployment.status.conditions ?? [],
      conditions.minimumAvailability(availableReplicas >= minAvailable),
      wallMs,
    ),
  };
}

/** Leaves zeros out, as Go does: what is written must equal what will be read. */
function counts<T extends Readonly<Record<string, number>>>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0)) as Partial<T>;
}

/** Unknown as long as a ReplicaSet was looked at by a controller that does not count them. */
function terminating(all: readonly ReplicaSet[]): number | undefined {
  const isUncounted = ({ status }: ReplicaSet) =>
    status.terminatingReplicas === undefined && (status.observedGeneration ?? 0) > 0;
  if (all.some(isUncounted)) return undefined;
  return all.reduce((total, { status }) => total + (status.terminatingReplicas ?? 0), 0);
}

/** The status during a rollout. `deployment.status` is the one before: progress is what changed since. */
export function rolloutStatus(deployment: Deployment, replicaSets: ReplicaSets, wallMs: number): DeploymentStatus {
  const status = statusOf(deployment, replicaSets, wallMs);
  const progressed = progressConditions(deployment, replicaSets, status, wallMs);
  const failure = conditions.replicaFailure(replicaSets.newest, allOf(replicaSets));
  return { ...status, conditions: conditions.withFailure(progressed, failure) };
}

function progressConditions(
  deployment: Deployment,
  { newest }: ReplicaSets,
  status: DeploymentStatus,
  wallMs: number,
): conditions.Conditions {
  const before = status.conditions ?? [];
  if (progressDeadlineMs(deployment) === undefined) return conditions.without(before, 'Progressing');
  const current = conditions.find(before, 'Progressing');
  // All pods are new ones and that was reported: this is no rollout, and scaling is none either.
  const isReported =
    current?.reason === 'NewReplicaSetAvailable' && count(status.replicas) === count(status.updatedReplicas);
  if (isReported) return before;
  const subject = newest ? `ReplicaSet "${newest.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) return conditions.set(before, conditions.complete(subject), wallMs);
  if (isProgress(deployment.status, status)) return conditions.renew(before, conditions.underWay(subject), wallMs);
  if (isTimedOut(deployment, status, wallMs)) return conditions.set(before, conditions.timedOut(subject), wallMs);
  return before;
}

const count = (value: number | undefined): number => value ?? 0;

/** All desired replicas are new and available, and no others are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const desired = replicasOf(deployment);
  return (
    count(status.updatedReplicas) === desired &&
    count(status.replicas) === desired &&
    count(status.availableReplicas) === desired &&
    count(status.observedGeneration) >= count(deployment.metadata.generation)
  );
}

function isProgress(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const old = ({ replicas, updatedReplicas }: DeploymentStatus) => count(replicas) - count(updatedReplicas);
  return (
    count(after.updatedReplicas) > count(before.updatedReplicas) ||
    old(after) < old(before) ||
    count(after.readyReplicas) > count(before.readyReplicas) ||
    count(after.availableReplicas) > count(before.availableReplicas)
  );
}

function isTimedOut(deployment: Deployment, status: DeploymentStatus, wallMs: number): boolean {
  const current = conditions.find(status.conditions ?? [], 'Progressing');
  if (!current || current.reason === 'NewReplicaSetAvailable') return false;
  if (current.reason === 'ProgressDeadlineExceeded') return true;
  const deadline = deadlineOf(deployment, current.lastUpdateTime);
  return deadline !== undefined && deadline < wallMs;
}

/** In how many milliseconds a rollout that shows nothing new must be looked at again; `undefined` when never. */
export function nextCheckMs(deployment: Deployment, status: DeploymentStatus, wallMs: number): number | undefined {
  const current = conditions.find(deployment.status.conditions ?? [], 'Progressing');
  if (!current || isComplete(deployment, status) || current.reason === 'ProgressDeadlineExceeded') return undefined;
  const deadline = deadlineOf(deployment, current.lastUpdateTime);
  // One second later, since the time in the condition has no fractions.
  return deadline === undefined ? undefined : Math.max(0, deadline - wallMs) + 1000;
}

function deadlineOf(deployment: Deployment, lastUpdateTime: string | null | undefined): number | undefined {
  const deadlineMs = progressDeadlineMs(deployment);
  return deadlineMs === undefined || !lastUpdateTime ? undefined : Date.parse(lastUpdateTime) + deadlineMs;
}

/** What pausing and resuming say about progress: neither time that is over nor time that runs. */
export function pauseCondition(deployment: Deployment): conditions.Statement | undefined {
  const current = conditions.find(deployment.status.conditions ?? [], 'Progressing');
  if (progressDeadlineMs(deployment) === undefined || current?.reason === 'ProgressDeadlineExceeded') return undefined;
  const isNoted = current?.reason === conditions.paused.reason;
  const isPaused = deployment.spec.paused === true;
  if (isPaused === isNoted) return undefined;
  return isPaused ? conditions.paused : conditions.resumed;
}
