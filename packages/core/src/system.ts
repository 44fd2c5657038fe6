/**
 * The system's clock and randomness: the only module that may touch them (`npm run check` holds the rule).
 */
import type { Clock } from './clock.ts';
import type { Random } from './random.ts';

/** Node fires a timer of 2^31 ms (24.8 days) or more at once, so a longer one is waited for in stages. */
const longestTimerMs = 0x7fffffff;

/** The machine's time. For the outermost layer of a program, which passes it on. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    let remainingMs = Math.max(delayMs, 0);
    let referenced = true;
    let handle: NodeJS.Timeout;
    const arm = () => {
      const stageMs = Math.min(remainingMs, longestTimerMs);
      remainingMs -= stageMs;
      handle = setTimeout(remainingMs > 0 ? arm : callback, stageMs);
      if (!referenced) handle.unref();
    };
    arm();
    return {
      unref() {
        referenced = false;
        handle.unref();
      },
      [Symbol.dispose]: () => clearTimeout(handle),
    };
  },
};

/** The machine's randomness. For the outermost layer of a program, which passes it on. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};

/** Resolves when everything that could run without waiting for the outside world has run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Processor time that this process has used, in milliseconds: how long something takes, however busy the machine is. */
export function processorTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
