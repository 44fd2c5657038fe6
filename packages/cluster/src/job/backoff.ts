/** How long a Job waits before it replaces a failed pod: ten seconds, doubled with each failure, ten minutes at most. */
import type { Pod } from '@keelson/core/v1';
import { failuresBefore, finishedAt, ignoredFailuresBefore } from './pods.ts';

const firstMs = 10_000;
const maxMs = 600_000;

/** The failures since the last success, over the whole Job. */
export interface Backoff {
  readonly failures: number;
  readonly lastFailureMs: number;
}

export const noBackoff: Backoff = { failures: 0, lastFailureMs: 0 };

/** With the pods that have ended since. */
export function nextBackoff(before: Backoff, succeeded: readonly Pod[], failed: readonly Pod[]): Backoff {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccessMs = Math.max(Number.NEGATIVE_INFINITY, ...succeeded.map(finishedAt));
  const later = failed.map(finishedAt).filter((atMs) => atMs > lastSuccessMs);
  if (later.length === 0) return noBackoff;
  const { failures } = succeeded.length === 0 ? before : noBackoff;
  return { failures: failures + later.length, lastFailureMs: Math.max(...later) };
}

/** Milliseconds until the next pod may be made. */
export function remainingMs({ failures, lastFailureMs }: Backoff, wallMs: number): number {
  if (failures === 0) return 0;
  const delayMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
  return Math.max(0, lastFailureMs + delayMs - wallMs);
}

/** The same for one index, whose last failed pod is known. */
export function remainingMsAfter(failed: Pod | undefined, wallMs: number): number {
  if (!failed) return 0;
  const failures = failuresBefore(failed) + ignoredFailuresBefore(failed) + 1;
  return remainingMs({ failures, lastFailureMs: finishedAt(failed) }, wallMs);
}
