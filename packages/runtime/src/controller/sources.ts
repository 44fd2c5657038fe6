/**
 * Sources: reasons outside the cluster to look at an object, such as a message, a poll of another system, or time.
 *
 * Promises: a source begins when the caches are complete, on the replica that works, and its signal is aborted when that
 * ends; what it wakes is queued as for any change. A source that fails is reported and begun again.
 * Does not: keep what it was told while nothing runs. Whoever starts looks at everything anyway.
 */
import { type CacheView, type Clock, type Kind, keyOf, type NamespacedName, sleep } from '@keelson/core';
import type { Logger } from '../log/logger.ts';
import type { Controller } from './controller.ts';

/** Wakes objects for reasons that no watch shows. Made by `channel`, `polling` or `every`, or by hand. */
export interface Source {
  /** In the log, as the cause of a pass. */
  readonly name: string;
  /** Runs until the signal is aborted. */
  start(context: SourceContext): Promise<void>;
}

/** What a source is given. */
export interface SourceContext {
  /** The object needs a look; a key that no object has does nothing. */
  wake(key: NamespacedName): void;
  /** The kinds that the controller declares. */
  readonly cache: CacheView<Kind>;
  readonly reconciled: Kind;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** A source that a program wakes objects through. */
export interface Channel extends Source {
  /** Wakes an object on whatever is running now. */
  wake(key: NamespacedName): void;
}

/**
 * A source for what the process hears elsewhere: a webhook, a queue, a file that changed.
 *
 * @example
 * const hooks = channel('git push');
 * server.on('push', ({ repository }) => hooks.wake(`default/${repository}`));
 */
export function channel(name: string): Channel {
  const running = new Set<SourceContext>();
  return {
    name,
    wake(key) {
      for (const context of running) context.wake(key);
    },
    async start(context) {
      running.add(context);
      await untilAborted(context.signal);
      running.delete(context);
    },
  };
}

/** How a source asks another system. */
export interface PollingOptions {
  /** @default 'poll' */
  readonly name?: string;
  /** From the end of one question to the next. */
  readonly everyMs: number;
  /** The keys that need a look. One that fails is reported, and asked again next time. */
  readonly poll: (context: SourceContext) => Promise<readonly NamespacedName[]>;
}

/** Asks another system from time to time which objects need a look. */
export function polling({ name = 'poll', everyMs, poll }: PollingOptions): Source {
  if (!(everyMs > 0)) throw new RangeError(`polling: everyMs must be greater than 0, received ${everyMs}`);
  return {
    name,
    async start(context) {
      const { clock, logger, signal } = context;
      while (!signal.aborted) {
        try {
          for (const key of await poll(context)) context.wake(key);
        } catch (error) {
          if (!signal.aborted) logger.error(`The source ${name} failed; it is asked again`, { error });
        }
        await sleep(clock, everyMs, signal).catch(() => {});
      }
    },
  };
}

/** Looks at every object from time to time, beginning one period after the start; `requeueAfter` is for one alone. */
export function every(everyMs: number): Source {
  if (!(everyMs > 0)) throw new RangeError(`every: everyMs must be greater than 0, received ${everyMs}`);
  const name = `every ${everyMs / 1000} s`;
  return {
    name,
    async start({ cache, reconciled, clock, signal, wake }) {
      for (;;) {
        await sleep(clock, everyMs, signal).catch(() => {});
        if (signal.aborted) return;
        for (const object of cache.list(reconciled)) wake(keyOf(object));
      }
    },
  };
}

const restartMs = 10_000;

/** Runs the sources of a controller until the signal is aborted. Never rejects. */
export async function runSources(
  { sources, for: reconciled }: Controller,
  context: Omit<SourceContext, 'wake' | 'reconciled'>,
  wake: (key: NamespacedName, cause: string) => void,
): Promise<void> {
  const { clock, logger, signal } = context;
  const keep = async (source: Source): Promise<void> => {
    while (!signal.aborted) {
      try {
        await source.start({ ...context, reconciled, wake: (key) => wake(key, source.name) });
        return;
      } catch (error) {
        if (signal.aborted) return;
        logger.error(`The source ${source.name} failed; it begins again in ${restartMs / 1000} s`, { error });
        await sleep(clock, restartMs, signal).catch(() => {});
      }
    }
  };
  await Promise.all(sources.map(keep));
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
