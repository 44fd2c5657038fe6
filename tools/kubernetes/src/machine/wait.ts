/** Waiting for the outside world: another process has no promise to await, so it is asked again and again. */
import { type Clock, sleep } from '@keelson/core';
import { UserFacingError } from './user-facing-error.ts';

export interface WaitOptions {
  readonly clock: Clock;
  /** Completes the sentence "Waited 30 s in vain for …". */
  readonly what: string;
  readonly deadlineMs: number;
  /** @default 50 */
  readonly everyMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked when the wait was in vain, for a sentence about why that may be. */
  readonly hint?: () => string;
}

/** The first answer of `probe` that is not `undefined`; an error of `probe` ends the wait. */
export async function until<T>(probe: () => Promise<T | undefined> | T | undefined, options: WaitOptions): Promise<T> {
  const { clock, what, deadlineMs, everyMs = 50, signal, hint } = options;
  const startedAt = clock.monotonic();
  for (;;) {
    signal?.throwIfAborted();
    const answer = await probe();
    if (answer !== undefined) return answer;
    if (clock.monotonic() - startedAt >= deadlineMs) {
      throw new UserFacingError(
        [`Waited ${deadlineMs / 1000} s in vain for ${what}.`, hint?.()].filter(Boolean).join(' '),
      );
    }
    await sleep(clock, everyMs, signal);
  }
}
