/**
 * The system's clock and randomness: the only module that may touch them (`npm run check` holds the rule).
 */
import type { Clock, Timer } from './clock.ts';
import type { Random } from './random.ts';

/** Node fires a timer of 2^31 ms (24.8 days) or more at once, so a longer one is waited for in stages. */
const longestTimerMs = 0x7fffffff;

/** The machine's time. For the outermost layer of a program, which passes it on. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    return new SystemTimer(delayMs, callback);
  },
};

/** There is one for each request and each pass: an object with a computed member would take V8's slow path. */
class SystemTimer implements Timer {
  readonly #callback: () => void;
  #remainingMs: number;
  #isReferenced = true;
  #handle: NodeJS.Timeout;

  constructor(delayMs: number, callback: () => void) {
    this.#callback = callback;
    this.#remainingMs = Math.max(delayMs, 0);
    this.#handle = this.#arm();
  }

  unref(): void {
    this.#isReferenced = false;
    this.#handle.unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#handle);
  }

  #arm(): NodeJS.Timeout {
    const stageMs = Math.min(this.#remainingMs, longestTimerMs);
    this.#remainingMs -= stageMs;
    if (!(this.#remainingMs > 0)) return setTimeout(this.#callback, stageMs);
    return setTimeout(() => {
      this.#handle = this.#arm();
      if (!this.#isReferenced) this.#handle.unref();
    }, stageMs);
  }
}

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
