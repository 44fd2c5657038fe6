/** A clock that runs faster than another, for what only the passing of minutes brings about and real sockets carry. */
import type { Clock } from '@keelson/core';

export function fastClock(clock: Clock, factor: number): Clock {
  const beganAt = clock.now();
  const beganMonotonic = clock.monotonic();
  const elapsedMs = () => (clock.monotonic() - beganMonotonic) * factor;
  return {
    now: () => beganAt + elapsedMs(),
    monotonic: elapsedMs,
    setTimer: (delayMs, callback) => clock.setTimer(delayMs / factor, callback),
  };
}
