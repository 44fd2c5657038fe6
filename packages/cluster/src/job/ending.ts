/**
 * Whether a Job has come to its end, and why: what was announced before stands, then failures count before successes.
 *
 * An end is announced first (`FailureTarget`, `SuccessCriteriaMet`), and reached (`Failed`, `Complete`) when the last pod
 * has ended and is counted.
 */
import type { Job } from '@keelson/core/batch/v1';
import type { Pod } from '@keelson/core/v1';
import { type ConditionType, trueCondition } from './conditions.ts';
import { matchFailure } from './failure-policy.ts';
import { countOf } from './indexes.ts';
import { hasFailed } from './pods.ts';
import { metRule } from './success-policy.ts';
import type { View } from './view.ts';

export interface Ending {
  readonly outcome: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

const failed = (reason: string, message: string): Ending => ({ outcome: 'Failed', reason, message });

/** Before anything is done in this pass. */
export function endingOf(view: View, wallMs: number): Ending | undefined {
  return announced(view.job) ?? failure(view, wallMs) ?? failureByIndex(view) ?? successByPolicy(view);
}

export const announcementOf = ({ outcome }: Ending): ConditionType =>
  outcome === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';

function announced({ status }: Job): Ending | undefined {
  for (const outcome of ['Complete', 'Failed'] as const) {
    const condition = trueCondition(status, outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget');
    if (condition) return { outcome, reason: condition.reason ?? '', message: condition.message ?? '' };
  }
  return undefined;
}

function failure({ job, pods, failed: failures }: View, wallMs: number): Ending | undefined {
  const { podFailurePolicy, backoffLimit = 6 } = job.spec;
  for (const pod of podFailurePolicy ? pods.filter((each) => hasFailed(job, each)) : []) {
    const match = matchFailure(podFailurePolicy, pod);
    if (match?.action === 'FailJob') return failed('PodFailurePolicy', match.message);
  }
  if (failures > backoffLimit || isPastRestarts(job, pods)) {
    return failed('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const leftMs = deadlineInMs(job, wallMs);
  return leftMs !== undefined && leftMs <= 0
    ? failed('DeadlineExceeded', 'Job was active longer than specified deadline')
    : undefined;
}

/** Milliseconds until the Job has been active for too long; `undefined` when it has no deadline, or rests. */
export function deadlineInMs({ spec, status }: Job, wallMs: number): number | undefined {
  if (spec.activeDeadlineSeconds === undefined || status.startTime === undefined || spec.suspend) return undefined;
  return Date.parse(status.startTime) + spec.activeDeadlineSeconds * 1000 - wallMs;
}

/** Containers that restart in their pods count too. */
function isPastRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec?.restartPolicy !== 'OnFailure') return false;
  const restarts = pods
    .filter(({ status }) => status.phase === 'Running' || status.phase === 'Pending')
    .flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  return restarts >= Math.max(1, spec.backoffLimit ?? 6);
}

function failureByIndex({ job, indexes }: View): Ending | undefined {
  const { maxFailedIndexes = Number.POSITIVE_INFINITY, completions = 0 } = job.spec;
  const failures = countOf(indexes?.failed ?? []);
  if (failures > maxFailedIndexes) {
    return failed('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  return failures > 0 && failures + countOf(indexes?.succeeded ?? []) >= completions
    ? failed('FailedIndexes', 'Job has failed indexes')
    : undefined;
}

function successByPolicy({ job, indexes }: View): Ending | undefined {
  const rule = indexes && metRule(job.spec, indexes.succeeded);
  return rule === undefined
    ? undefined
    : { outcome: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` };
}

/** After pods were made or deleted: nothing is left to do. */
export function completion({ job, succeeded }: View, active: number): Ending | undefined {
  const isDone = active === 0 && succeeded >= (job.spec.completions ?? 1);
  return isDone
    ? { outcome: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    : undefined;
}
