/** The controller: its declaration, what it does, and what it reports when that fails. */
import { controller } from '@keelson/runtime';
import { declaration, reconcileWith } from './reconcile.ts';
import type { ReadStats } from './server-stats.ts';
import { eventsOf, statusOfFailure } from './status.ts';

/** A controller that asks servers in this way how they are. */
export const memcachedController = (readStats: ReadStats) =>
  controller({
    ...declaration,
    // A pass mostly waits for answers, and one Memcached is never with two workers: at 100 ms for an answer, four make
    // sixty of them Available in a quarter of the time, with no more requests.
    concurrency: 4,
    reconcile: reconcileWith(readStats),
    onError: (memcached, error, { events }) => {
      const next = statusOfFailure(memcached, error);
      for (const { type, reason, message } of eventsOf(memcached, next)) events[type](reason, message);
      return next;
    },
  });
