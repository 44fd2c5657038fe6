/**
 * Whether a request that failed is sent again, and when.
 *
 * A 429 with `Retry-After` says that the server did nothing and when to come back, so every verb is repeated. One without
 * is an answer, such as an eviction that a disruption budget forbids, and belongs to the caller. After a 5xx or a broken
 * connection the outcome is unknown, so only what may safely happen twice is repeated: reads, and a
 * server-side apply that names no resourceVersion (one that does would meet its own success as a conflict).
 */
import { jitter, type Random } from '@keelson/core';

export type Outcome =
  | { readonly type: 'answer'; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly type: 'broken' };

export interface RetryInput {
  /** How many times it was sent. */
  readonly tries: number;
  readonly isRepeatable: boolean;
  readonly outcome: Outcome;
}

/** In all, while the server names the time to come back; client-go sends once more than that. */
const maxTries = 10;
/** Fewer when it does not: what is wrong for longer is better known to the caller. */
const maxUnadvisedTries = 4;
const baseDelayMs = 100;

/** Milliseconds to wait before the next try; `undefined` means that the failure stands. */
export function retryDelay({ tries, isRepeatable, outcome }: RetryInput, random: Random): number | undefined {
  const advisedMs = outcome.type === 'answer' ? outcome.retryAfterMs : undefined;
  if (tries >= (advisedMs === undefined ? maxUnadvisedTries : maxTries)) return undefined;
  const mayRepeat =
    outcome.type === 'answer' && outcome.status === 429
      ? advisedMs !== undefined
      : isRepeatable && (outcome.type === 'broken' || isTransient(outcome.status));
  if (!mayRepeat) return undefined;
  // Spread those who were told the same second.
  return advisedMs === undefined ? jitter(random, baseDelayMs * 2 ** (tries - 1), 1) : jitter(random, advisedMs, 0.1);
}

/** 501 and 505 will not change by waiting. */
function isTransient(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 505;
}

/** Reads `Retry-After`, which holds seconds or a date. */
export function retryAfterMs(header: string | undefined, wallMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - wallMs);
}
