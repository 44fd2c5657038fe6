/**
 * When a CronJob is due: the last time that it has missed, and the next one.
 *
 * Like Kubernetes, it starts no more than one Job for all the times that it has missed, and guesses their number from the
 * distance of the first two.
 */
import type { CronSchedule } from '@keelson/core';
import type { CronJob } from '@keelson/core/batch/v1';

export type LookBack =
  | {
      readonly type: 'seen';
      /** The last time that was taken care of; nothing before it is due. */
      readonly earliestMs: number;
      /** The last time since then, if there was one. */
      readonly dueMs: number | undefined;
      readonly missed: 'none' | 'few' | 'many';
    }
  /** The schedule has no time at all, such as the 31st of February. */
  | { readonly type: 'impossible' };

/** More than this is a clock that went wrong rather than a controller that slept. */
const manyMissed = 100;

/** `hasDeadline`: what is older than the starting deadline is not looked at. */
export function lookBack(cronJob: CronJob, schedule: CronSchedule, wallMs: number, hasDeadline: boolean): LookBack {
  const { metadata, spec, status } = cronJob;
  const since = Date.parse(status.lastScheduleTime ?? metadata.creationTimestamp);
  const deadlineMs = hasDeadline ? (spec.startingDeadlineSeconds ?? Number.POSITIVE_INFINITY) * 1000 : Infinity;
  const earliestMs = Math.max(since, wallMs - deadlineMs);
  const first = schedule.next(earliestMs);
  if (first === undefined) return { type: 'impossible' };
  const seen = (dueMs: number | undefined, missed: 'none' | 'few' | 'many') =>
    ({ type: 'seen', earliestMs, dueMs, missed }) as const;
  if (wallMs < first) return seen(undefined, 'none');
  const second = schedule.next(first);
  if (second === undefined) return { type: 'impossible' };
  if (wallMs < second) return seen(first, 'none');
  const distance = Math.round((second - first) / 1000);
  const count = Math.floor(Math.trunc((wallMs - first) / 1000) / distance) + 1;
  // A step further back than the guess, since distances may differ.
  const from = first + (count - 2) * distance * 1000;
  return seen(lastUntil(schedule, from, wallMs), count > manyMissed ? 'many' : 'few');
}

function lastUntil(schedule: CronSchedule, fromMs: number, wallMs: number): number | undefined {
  let last: number | undefined;
  for (let at = schedule.next(fromMs); at !== undefined && at <= wallMs; at = schedule.next(at)) last = at;
  return last;
}

/** Clocks may differ a little, and too early would mean not yet. */
const paddingMs = 100;

/** Milliseconds until it must be looked at again; `undefined` when nothing is ever due. */
export function nextLookMs(cronJob: CronJob, schedule: CronSchedule, wallMs: number): number | undefined {
  const back = lookBack(cronJob, schedule, wallMs, false);
  const last =
    back.type === 'impossible' ? wallMs : (back.dueMs ?? (back.missed === 'none' ? back.earliestMs : wallMs));
  const next = schedule.next(last);
  return next === undefined ? undefined : next + paddingMs - wallMs;
}
