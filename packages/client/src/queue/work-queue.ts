/**
 * Work queue: remembers which objects need attention, never why.
 *
 * Promises: a key is with at most one worker; adding a waiting key changes nothing;
 * adding a key that is being worked on runs it once more afterwards.
 * Does not: survive a restart, or keep any order between keys that are retrying.
 */
import type { Clock } from '@keelson/core';
import { systemClock } from '@keelson/core/system';
import { TokenBucket } from '../limits/token-bucket.ts';
import { DelayHeap } from './delay-heap.ts';
import type { QueueMetrics } from './queue-metrics.ts';
import { retryDelayMs } from './retry-backoff.ts';
import { WaitingLine } from './waiting-line.ts';

/** Remembers which keys need attention, never why: each waits once, and is with at most one worker. */
export interface WorkQueue<Key = string> {
  /** Asks for a worker. A key that waits already keeps the higher of its priorities, and waits no longer for a delay. */
  add(key: Key, options?: AddOptions): void;
  /** Asks for a worker after a delay; of several delays the earliest wins, and an `add` in between overtakes it. */
  addAfter(key: Key, delayMs: number, options?: AddOptions): void;
  /** Asks again after a failure: after a delay that doubles with each call until `forget`. Returns that delay. */
  addRateLimited(key: Key, options?: AddOptions): number;
  /** The key did well: its next failure is a first one again. A planned `addAfter` stays. */
  forget(key: Key): void;
  /** How many failures since the last `forget`. */
  failures(key: Key): number;
  /** The next key, as soon as there is one; `undefined` once the queue is shut down, or drained and empty. */
  get(): Promise<WorkItem<Key> | undefined>;
  /** The worker is finished with the key. Must follow every `get`. */
  done(key: Key): void;
  /** Keys that wait for a worker; those that wait for a delay are not counted. */
  readonly length: number;
  /** How many of them have this priority. */
  lengthAt(priority: number): number;
  /** `workqueue_unfinished_work_seconds` and `workqueue_longest_running_processor_seconds`, as of now. */
  inProgress(): { readonly keys: number; readonly unfinishedMs: number; readonly longestMs: number };
  /** Refuses new keys, drops those that wait, and lets waiting workers go. */
  shutDown(): void;
  /** Refuses new keys, drops delayed ones, hands out what waits, and resolves when all work is done. */
  drain(): Promise<void>;
}

/** A key that a worker has taken, until it says `done`. */
export interface WorkItem<Key = string> {
  readonly key: Key;
  readonly priority: number;
}

/** How urgent a key is. */
export interface AddOptions {
  /** Higher first. @default 0 */
  readonly priority?: number | undefined;
  /** After so long in the line, beyond its delay, a lower priority becomes 0; of several the earliest wins. @default never */
  readonly raiseAfterMs?: number | undefined;
}

/** How long failed keys wait, and who counts. */
export interface WorkQueueOptions {
  /** Delay before the first retry of a key; doubles with each further failure. @default 5 */
  readonly baseDelayMs?: number | undefined;
  /** Ceiling for that delay. @default 1_000_000 */
  readonly maxDelayMs?: number | undefined;
  /** A limit over all retries together, beside the one for each key. @default none */
  readonly bucket?: { readonly qps: number; readonly burst: number } | undefined;
  readonly metrics?: QueueMetrics | undefined;
  /** @default systemClock */
  readonly clock?: Clock | undefined;
}

/**
 * A queue of keys for workers, with client-go's delays between retries.
 *
 * @example
 * const queue = createWorkQueue();
 * for (let item = await queue.get(); item; item = await queue.get()) {
 *   await reconcile(item.key).then(() => queue.forget(item.key), () => queue.addRateLimited(item.key));
 *   queue.done(item.key);
 * }
 */
export function createWorkQueue<Key extends string | number = string>(options: WorkQueueOptions = {}): WorkQueue<Key> {
  const { baseDelayMs = 5, maxDelayMs = 1_000_000, bucket, metrics = {}, clock = systemClock } = options;
  if (!(baseDelayMs > 0)) throw new RangeError(`baseDelayMs must be greater than 0, not ${baseDelayMs}`);
  if (!(maxDelayMs >= baseDelayMs)) throw new RangeError(`maxDelayMs must be at least baseDelayMs, not ${maxDelayMs}`);
  return new KeyedQueue({
    baseDelayMs,
    maxDelayMs,
    bucket: bucket && new TokenBucket(bucket, clock),
    metrics,
    clock,
  });
}

interface Settings {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly bucket: TokenBucket | undefined;
  readonly metrics: QueueMetrics;
  readonly clock: Clock;
}

interface InWork {
  readonly since: number;
  /** It was added meanwhile, with this priority, and runs once more. */
  again: { readonly priority: number; readonly since: number } | undefined;
}

/** What `raiseAfterMs` leads to. */
const raisedPriority = 0;

function assertWait(raiseAfterMs = 0): void {
  if (!(raiseAfterMs >= 0)) throw new RangeError(`raiseAfterMs must not be less than 0, and is ${raiseAfterMs}`);
}

class KeyedQueue<Key> implements WorkQueue<Key> {
  readonly #settings: Settings;
  readonly #waiting = new WaitingLine<Key>();
  readonly #delayed = new DelayHeap<Key>();
  /** Keys that wait, for a worker or for a delay, and when they get a higher priority. */
  readonly #raised = new DelayHeap<Key>();
  readonly #inWork = new Map<Key, InWork>();
  readonly #failures = new Map<Key, number>();
  #workers: ((item: WorkItem<Key> | undefined) => void)[] = [];
  #state: 'open' | 'draining' | 'closed' = 'open';
  #onDrained: (() => void)[] = [];
  #timer: (Disposable & { readonly dueAt: number }) | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get length(): number {
    return this.#waiting.length;
  }

  lengthAt(priority: number): number {
    return this.#waiting.lengthAt(priority);
  }

  add(key: Key, { priority = 0, raiseAfterMs }: AddOptions = {}): void {
    assertWait(raiseAfterMs);
    if (this.#state !== 'open') return;
    const delayed = this.#delayed.get(key);
    if (delayed) this.#delayed.delete(key);
    this.#enqueue(key, Math.max(priority, delayed?.priority ?? priority));
    if (raiseAfterMs !== undefined && this.#isInLine(key)) this.#raiseAfter(key, raiseAfterMs);
  }

  addAfter(key: Key, delayMs: number, { priority = 0, raiseAfterMs }: AddOptions = {}): void {
    assertWait(raiseAfterMs);
    if (this.#state !== 'open') return;
    const riseMs = raiseAfterMs === undefined || !(delayMs > 0) ? raiseAfterMs : delayMs + raiseAfterMs;
    if (delayMs > 0) this.#settings.metrics.retried?.();
    if (!(delayMs > 0) || this.#isInLine(key)) {
      this.add(key, { priority, raiseAfterMs: riseMs }); // it waits for nothing but a worker; only its priority may rise
      return;
    }
    const dueAt = this.#settings.clock.monotonic() + delayMs;
    const planned = this.#delayed.get(key);
    this.#delayed.set({
      key,
      dueAt: Math.min(dueAt, planned?.dueAt ?? dueAt),
      priority: Math.max(priority, planned?.priority ?? priority),
    });
    if (riseMs === undefined) this.#arm();
    else this.#raiseAfter(key, riseMs);
  }

  addRateLimited(key: Key, options?: AddOptions): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const delayMs = Math.max(retryDelayMs(failures, this.#settings), this.#settings.bucket?.reserve() ?? 0);
    this.addAfter(key, delayMs, options);
    return delayMs;
  }

  forget(key: Key): void {
    this.#failures.delete(key);
  }

  failures(key: Key): number {
    return this.#failures.get(key) ?? 0;
  }

  async get(): Promise<WorkItem<Key> | undefined> {
    if (this.#isOver()) return undefined;
    return this.#take() ?? new Promise((resolve) => this.#workers.push(resolve));
  }

  done(key: Key): void {
    const work = this.#inWork.get(key);
    if (!work) throw new TypeError(`done: nobody works on ${String(key)}`);
    const { clock, metrics } = this.#settings;
    this.#inWork.delete(key);
    metrics.done?.(clock.monotonic() - work.since);
    if (work.again && this.#state !== 'closed') this.#line(key, work.again.priority, work.again.since);
    this.#dispatch();
  }

  inProgress(): { readonly keys: number; readonly unfinishedMs: number; readonly longestMs: number } {
    const now = this.#settings.clock.monotonic();
    const ages = [...this.#inWork.values()].map(({ since }) => now - since);
    return {
      keys: ages.length,
      unfinishedMs: ages.reduce((sum, age) => sum + age, 0),
      longestMs: ages.reduce((longest, age) => Math.max(longest, age), 0),
    };
  }

  shutDown(): void {
    this.#state = 'closed';
    this.#dropDelayed();
    for (let dropped = this.#waiting.shift(); dropped; dropped = this.#waiting.shift())
      this.#measureDepth(dropped.priority);
    this.#dispatch();
  }

  async drain(): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    this.#dropDelayed();
    const drained = new Promise<void>((resolve) => this.#onDrained.push(resolve));
    this.#dispatch();
    await drained;
  }

  /** Whether it waits for a worker, or for the one who has it. */
  #isInLine(key: Key): boolean {
    return this.#waiting.priorityOf(key) !== undefined || this.#inWork.get(key)?.again !== undefined;
  }

  /** Whether no key will ever be handed out again. */
  #isOver(): boolean {
    if (this.#state !== 'draining') return this.#state === 'closed';
    return this.#waiting.length === 0 && [...this.#inWork.values()].every(({ again }) => !again);
  }

  /** Puts a key where it waits for a worker, or for the one who has it. */
  #enqueue(key: Key, priority: number): void {
    const { clock, metrics } = this.#settings;
    const work = this.#inWork.get(key);
    if (work) {
      if (!work.again) metrics.added?.();
      const since = work.again?.since ?? clock.monotonic();
      work.again = { priority: Math.max(priority, work.again?.priority ?? priority), since };
      return;
    }
    const present = this.#waiting.priorityOf(key);
    if (present === undefined) {
      metrics.added?.();
      this.#line(key, priority, clock.monotonic());
    } else if (priority > present) {
      const waiting = this.#waiting.remove(key);
      this.#measureDepth(present);
      this.#line(key, priority, waiting?.since ?? clock.monotonic());
    }
    this.#dispatch();
  }

  #line(key: Key, priority: number, since: number): void {
    this.#waiting.push({ key, priority, since });
    this.#measureDepth(priority);
  }

  #take(): WorkItem<Key> | undefined {
    const next = this.#waiting.shift();
    if (!next) return undefined;
    const { clock, metrics } = this.#settings;
    const now = clock.monotonic();
    this.#raised.delete(next.key);
    this.#inWork.set(next.key, { since: now, again: undefined });
    this.#measureDepth(next.priority);
    metrics.taken?.(now - next.since);
    return { key: next.key, priority: next.priority };
  }

  /** Hands waiting keys to waiting workers, and lets everyone go when it is over. */
  #dispatch(): void {
    while (this.#workers.length > 0) {
      const item = this.#take();
      if (!item) break;
      this.#workers.shift()?.(item);
    }
    if (this.#isOver()) for (const release of this.#workers.splice(0)) release(undefined);
    const isDrained = this.#state !== 'open' && this.#inWork.size === 0 && this.#waiting.length === 0;
    if (isDrained) for (const resolve of this.#onDrained.splice(0)) resolve();
  }

  #measureDepth(priority: number): void {
    this.#settings.metrics.depth?.(priority, this.#waiting.lengthAt(priority));
  }

  #dropDelayed(): void {
    this.#delayed.clear();
    this.#raised.clear();
    this.#arm();
  }

  #raiseAfter(key: Key, ms: number): void {
    const dueAt = this.#settings.clock.monotonic() + ms;
    const known = this.#raised.get(key)?.dueAt ?? dueAt;
    this.#raised.set({ key, dueAt: Math.min(dueAt, known), priority: raisedPriority });
    this.#arm();
  }

  /** One timer, for whatever is due next. */
  #arm(): void {
    const never = Number.POSITIVE_INFINITY;
    const dueAt = Math.min(this.#delayed.peek()?.dueAt ?? never, this.#raised.peek()?.dueAt ?? never);
    if (this.#timer?.dueAt === dueAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (dueAt === never) return;
    const { clock } = this.#settings;
    const timer = clock.setTimer(dueAt - clock.monotonic(), () => this.#ring());
    this.#timer = { dueAt, [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }

  #ring(): void {
    this.#timer = undefined;
    const now = this.#settings.clock.monotonic();
    for (let next = this.#delayed.peek(); next && next.dueAt <= now; next = this.#delayed.peek()) {
      this.#delayed.pop();
      this.#enqueue(next.key, next.priority);
    }
    for (let next = this.#raised.peek(); next && next.dueAt <= now; next = this.#raised.peek()) {
      this.#raised.pop();
      this.#enqueue(next.key, next.priority); // it is in line: a delay is over before, and `#take` drops the entry
    }
    this.#arm();
  }
}
