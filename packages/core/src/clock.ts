/**
 * Time as a value that is passed in.
 *
 * Everything that waits or stamps takes a `Clock`, so that a test owns the passing of time and a
 * replay sees the same instants. The one real clock is in `@keelson/core/system`.
 */

/** A pending callback. Disposing it cancels the callback; disposing it again changes nothing. */
export interface Timer extends Disposable {
  /** Lets the process end although the timer is pending. */
  unref(): void;
}

/** Where time comes from. Whoever needs it is given one; tests give one that they move. */
export interface Clock {
  /** Wall time in milliseconds since the epoch. May jump either way; only for stamps that others read. */
  now(): number;
  /** Milliseconds from an arbitrary start that never run backwards. For measuring and for deadlines. */
  monotonic(): number;
  /** Runs `callback` once, `delayMs` from now; a delay of zero or less means on the next turn. */
  setTimer(delayMs: number, callback: () => void): Timer;
}

/** Resolves after `ms`, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Says that something did not finish in the time it was given. */
export class DeadlineExceededError extends Error {
  override readonly name = 'DeadlineExceededError';
  readonly code = 'ERR_DEADLINE_EXCEEDED';
  readonly afterMs: number;

  constructor(what: string, afterMs: number) {
    super(`${what}: no answer within ${afterMs / 1000} s`);
    this.afterMs = afterMs;
  }
}

/** A signal with a lifetime: dispose it when the guarded work is over, or its timer and listener stay behind. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/** A signal that aborts after `ms` with a `DeadlineExceededError`, or earlier together with `parent`. */
export function deadline(clock: Clock, ms: number, what: string, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const timer = clock.setTimer(ms, () => controller.abort(new DeadlineExceededError(what, ms)));
  const onAbort = () => controller.abort(parent?.reason);
  if (parent?.aborted) onAbort();
  else parent?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      parent?.removeEventListener('abort', onAbort);
    },
  };
}

/** The instant as Kubernetes writes it in `metav1.Time`: RFC 3339, UTC, whole seconds. */
export function timestamp(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 19)}Z`;
}

/** The instant as Kubernetes writes it in `metav1.MicroTime`: RFC 3339, UTC, six digits. */
export function microTimestamp(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 23)}000Z`;
}
