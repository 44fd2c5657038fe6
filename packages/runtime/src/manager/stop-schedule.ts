/**
 * The times of a stop: each part has a share of the grace period, so that all of them together fit into it.
 *
 * A pod has 30 seconds between SIGTERM and SIGKILL unless its manifest says otherwise, and a stop that takes longer loses
 * what comes last: the lease is not given back, and the log does not say what hung.
 */
import type { Clock, Timer } from '@keelson/core';

export interface StopSchedule extends Disposable {
  /** Aborted when running passes have to end. After four fifths. */
  readonly passes: AbortSignal;
  /** Aborted when passes that did not end are given up; the rest is for the lease and Events. */
  readonly patience: AbortSignal;
  /** Aborted when every request has to end. */
  readonly requests: AbortSignal;
  /** Aborted when the whole grace period is over. */
  readonly all: AbortSignal;
}

const shares = { passes: 0.8, patience: 0.84, requests: 0.98, all: 1 } as const;

/** Begins to count when `signal` is aborted. */
export function stopSchedule(signal: AbortSignal, clock: Clock, gracePeriodMs: number): StopSchedule {
  const controllers = {
    passes: new AbortController(),
    patience: new AbortController(),
    requests: new AbortController(),
    all: new AbortController(),
  };
  const timers: Timer[] = [];
  const arm = () => {
    for (const part of ['passes', 'patience', 'requests', 'all'] as const) {
      const reason = () => new Error('The operator stopped before this had finished.');
      timers.push(clock.setTimer(gracePeriodMs * shares[part], () => controllers[part].abort(reason())));
    }
  };
  if (signal.aborted) arm();
  else signal.addEventListener('abort', arm, { once: true });
  return {
    passes: controllers.passes.signal,
    patience: controllers.patience.signal,
    requests: controllers.requests.signal,
    all: controllers.all.signal,
    [Symbol.dispose]() {
      signal.removeEventListener('abort', arm);
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
}
