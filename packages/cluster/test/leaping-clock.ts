/** The machine's time, in which a test can have hours pass at once: for sockets, which virtual time cannot carry. */
import type { Clock } from '@keelson/core';
import { systemClock } from '@keelson/core/system';

export interface LeapingClock extends Clock {
  /** Timers that become due by it fire now, in the order in which they were set. */
  leap(ms: number): void;
}

export function leapingClock(): LeapingClock {
  let leaptMs = 0;
  const waiting = new Set<{ readonly dueAt: number; fire(): void }>();
  const monotonic = () => systemClock.monotonic() + leaptMs;
  return {
    now: () => systemClock.now() + leaptMs,
    monotonic,
    setTimer(delayMs, callback) {
      const end = () => {
        waiting.delete(timer);
        real[Symbol.dispose]();
      };
      const timer = {
        dueAt: monotonic() + delayMs,
        fire() {
          end();
          callback();
        },
      };
      const real = systemClock.setTimer(delayMs, timer.fire);
      waiting.add(timer);
      return { unref: () => real.unref(), [Symbol.dispose]: end };
    },
    leap(ms) {
      leaptMs += ms;
      // A timer that fires may end another that is due as well.
      for (const timer of [...waiting]) if (waiting.has(timer) && timer.dueAt <= monotonic()) timer.fire();
    },
  };
}
