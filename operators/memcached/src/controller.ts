/** The controller: its declaration, what it does, and what it reports when that fails. */
import { controller } from '@keelson/runtime';
import { declaration, reconcileMemcached } from './reconcile.ts';
import { eventsOf, statusOfFailure } from './status.ts';

export const memcachedController = controller({
  ...declaration,
  reconcile: reconcileMemcached,
  onError: (memcached, error, { events }) => {
    const next = statusOfFailure(memcached, error);
    for (const { type, reason, message } of eventsOf(memcached, next)) events[type](reason, message);
    return next;
  },
});
