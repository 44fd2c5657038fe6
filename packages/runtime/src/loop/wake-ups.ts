/**
 * Wake-ups: which objects need a pass, in what order and how soon; and why, for the log alone.
 *
 * Promises: the queue's (a key is with one worker at a time, and a change during a pass leads to another one), and with a
 * rate limit no more passes over one object than it allows, whatever wakes it. What waits for an object in its way is
 * woken when that one changes.
 *
 * What follows from a pass (a rollout brings a dozen changes) lets other objects that wait go first, for two seconds, and
 * is gathered meanwhile; a worker that has nothing else takes it at once.
 */
import { createWorkQueue, type WorkItem, type WorkQueue } from '@keelson/client';
import { type Clock, type KubernetesObject, keyOf, type NamespacedName } from '@keelson/core';
import type { RateLimit, RetryDelays } from '../controller/controller.ts';
import type { ControllerMetrics } from '../metrics/metrics.ts';

export interface WakeUpsOptions {
  readonly retry: RetryDelays;
  readonly rateLimit: RateLimit | undefined;
  /** How long an object has to wait for its next pass for other reasons. */
  readonly waitMs?: (key: NamespacedName) => number;
  readonly metrics: ControllerMetrics;
  readonly clock: Clock;
}

/**
 * How soon a change wants a pass: `now`, such as one that a user has made; `initial`, what was there when the watch began,
 * and waits behind what changes now; `follow-up`, what may be a step of many and can be gathered.
 */
export type Urgency = 'now' | 'initial' | 'follow-up';

const places = {
  now: { priority: 0 },
  initial: { priority: -100 },
  'follow-up': { priority: -200, raiseAfterMs: 2000 },
} as const;

const isFollowUp = ({ priority }: WorkItem): boolean => priority === places['follow-up'].priority;

/** Causes that are kept for one log line; a storm of events must not become a storm of memory. */
const keptCauses = 10;

export class WakeUps {
  readonly #options: WakeUpsOptions;
  readonly #queue: WorkQueue;
  readonly #causes = new Map<NamespacedName, string[]>();
  /** Objects that are in the way of others (`Deployment default/cache`), and the keys that wait for them to go. */
  readonly #blocking = new Map<string, Set<NamespacedName>>();
  /** When the passes of the running window began. */
  readonly #begun = new Map<NamespacedName, readonly number[]>();

  constructor(options: WakeUpsOptions) {
    this.#options = options;
    const { clock, metrics, retry } = options;
    this.#queue = createWorkQueue({ clock, metrics: metrics.queue, ...retry });
    metrics.observe(this.#queue);
  }

  add(key: NamespacedName, cause: string, urgency: Urgency = 'now'): void {
    this.noteCause(key, cause);
    // What has to wait is not handed to a worker first, which would only put it back.
    this.#queue.addAfter(key, this.#waitMs(key), places[urgency]);
  }

  addAfter(key: NamespacedName, delayMs: number, cause: string): void {
    this.noteCause(key, cause);
    this.#queue.addAfter(key, delayMs, places['follow-up']);
  }

  /** After a failure: later each time. Returns the delay. */
  retry(item: WorkItem): number {
    this.noteCause(item.key, 'retry');
    // One delay is enough: a failed follow-up is gathered no more.
    return this.#queue.addRateLimited(item.key, isFollowUp(item) ? places.now : { priority: item.priority });
  }

  noteCause(key: NamespacedName, cause: string): void {
    const causes = this.#causes.get(key) ?? [];
    if (causes.length < keptCauses && !causes.includes(cause)) this.#causes.set(key, [...causes, cause]);
  }

  takeCauses(key: NamespacedName): readonly string[] {
    const causes = this.#causes.get(key) ?? [];
    this.#causes.delete(key);
    return causes;
  }

  /** The next object whose turn it is; `undefined` after `close`. Must be followed by `done`. */
  async next(): Promise<WorkItem | undefined> {
    for (;;) {
      const item = await this.#queue.get();
      if (item === undefined) return undefined;
      const { key, priority } = item;
      const waitMs = this.#waitMs(key);
      if (waitMs === 0) {
        this.#begin(key);
        return item;
      }
      this.#queue.addAfter(key, waitMs, isFollowUp(item) ? places['follow-up'] : { priority });
      this.#queue.done(key);
    }
  }

  done(key: NamespacedName): void {
    this.#queue.done(key);
  }

  /**
   * Whether what is left to the next pass of an object spares something: others wait that were there at the start, and
   * that pass is kept back no longer than follow-ups let others go first. What changes now is overtaken by nobody.
   */
  letsOthersGoFirst(key: NamespacedName): boolean {
    return this.#queue.lengthAt(places.initial.priority) > 0 && this.#waitMs(key) <= places['follow-up'].raiseAfterMs;
  }

  /** Failures since the last success. */
  failures(key: NamespacedName): number {
    return this.#queue.failures(key);
  }

  succeeded(key: NamespacedName): void {
    this.#queue.forget(key);
  }

  /** The object is gone. */
  forget(key: NamespacedName): void {
    this.#queue.forget(key);
    this.#begun.delete(key);
    for (const [id, waiting] of this.#blocking) {
      if (waiting.delete(key) && waiting.size === 0) this.#blocking.delete(id);
    }
  }

  waitFor({ kind, key: name }: { readonly kind: string; readonly key: string }, key: NamespacedName): void {
    const id = `${kind} ${name}`;
    this.#blocking.set(id, (this.#blocking.get(id) ?? new Set()).add(key));
  }

  /** Who waits for this object; they wait no longer. */
  takeWaitingFor(object: KubernetesObject): readonly NamespacedName[] {
    const id = `${object.kind} ${keyOf(object)}`;
    const waiting = [...(this.#blocking.get(id) ?? [])];
    this.#blocking.delete(id);
    return waiting;
  }

  /** Keys that wait are not lost: whoever runs next lists everything. */
  close(): void {
    this.#queue.shutDown();
  }

  /** How long the object has to wait for its next pass. */
  #waitMs(key: NamespacedName): number {
    const { rateLimit, waitMs } = this.#options;
    const elsewhereMs = waitMs?.(key) ?? 0;
    if (elsewhereMs > 0 || rateLimit === undefined) return elsewhereMs;
    const now = this.#options.clock.monotonic();
    const recent = this.#recent(key, rateLimit, now);
    const [oldest] = recent;
    return oldest === undefined || recent.length < rateLimit.passes ? 0 : rateLimit.perMs - (now - oldest);
  }

  /** A pass begins, and counts for the rate limit. */
  #begin(key: NamespacedName): void {
    const { rateLimit, clock } = this.#options;
    if (rateLimit === undefined) return;
    const now = clock.monotonic();
    this.#begun.set(key, [...this.#recent(key, rateLimit, now), now]);
  }

  #recent(key: NamespacedName, { perMs }: RateLimit, now: number): readonly number[] {
    return (this.#begun.get(key) ?? []).filter((begun) => now - begun < perMs);
  }
}
