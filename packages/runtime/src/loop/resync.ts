/**
 * Resync: everything is looked at again from time to time, though nothing has changed.
 *
 * The watches miss nothing that they know of. This is the last safety net, for an event that was lost all the same and
 * for an outside that changes and tells nobody. It waits behind what changes now, and asks the server nothing by itself.
 */
import { type Clock, keyOf, type NamespacedName, type Random, type Timer } from '@keelson/core';
import type { Caches } from '../cache/caches.ts';
import type { Controller } from '../controller/controller.ts';

export interface ResyncOptions {
  readonly controller: Pick<Controller, 'for' | 'resyncMs'>;
  readonly caches: Caches;
  readonly clock: Clock;
  readonly random: Random;
}

/** Replicas and controllers that began together come apart: each period is up to a tenth shorter or longer. */
const spread = 0.1;

/** Wakes every object after each period, until it is disposed. */
export function keepResyncing(options: ResyncOptions, wake: (key: NamespacedName) => void): Disposable {
  const { controller, caches, clock, random } = options;
  let timer: Timer | undefined;
  const arm = () => {
    const stretch = 1 + spread * (2 * random.next() - 1);
    timer = clock.setTimer(controller.resyncMs * stretch, () => {
      for (const object of caches.store(controller.for).list()) wake(keyOf(object));
      arm();
    });
    timer.unref(); // a last safety net keeps no process alive
  };
  if (Number.isFinite(controller.resyncMs)) arm();
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}
