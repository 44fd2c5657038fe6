/** Backoff of retries: how long a key that failed waits for its next try. Each key for itself, as in client-go. */

/** The delays between tries. */
export interface RetryBackoff {
  /** Before the first retry; doubles with each further failure. */
  readonly baseDelayMs: number;
  /** Ceiling for that. */
  readonly maxDelayMs: number;
}

/** The delay after a failure that `failures` others in a row came before. */
export function retryDelayMs(failures: number, { baseDelayMs, maxDelayMs }: RetryBackoff): number {
  return Math.min(baseDelayMs * 2 ** failures, maxDelayMs);
}
