/** The TTL controller: a Job that has ended goes, with its pods, so many seconds later as it says itself. */
import { createWorkQueue } from '@keelson/client';
import { isNotFound, keyOf, type NamespacedName } from '@keelson/core';
import { Job } from '@keelson/core/batch/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { finishedCondition } from '../job/conditions.ts';

export function startTtlAfterFinished(context: ControllerContext): RunningController {
  const { client, clock, informers, signal } = context;
  const queue = createWorkQueue({ clock });
  const jobs = informers.informer(Job);
  jobs.subscribe(
    ({ type, object }) => {
      if (type !== 'deleted' && expiresAt(object) !== undefined) queue.add(keyOf(object));
    },
    { signal },
  );
  /** Whether its time is over; if it will be later, it is looked at then. */
  const isExpired = (job: Job): boolean => {
    const at = expiresAt(job);
    if (at === undefined) return false;
    const leftMs = at - clock.now();
    if (leftMs > 0) queue.addAfter(keyOf(job), leftMs);
    return leftMs <= 0;
  };
  const sync = async (key: NamespacedName) => {
    const cached = jobs.store.get(key);
    if (!cached || !isExpired(cached)) return;
    // Someone may just have given it more time.
    const job = await client.find(Job, key);
    if (!job || !isExpired(job)) return;
    try {
      await client.delete(Job, key, { propagationPolicy: 'Foreground', preconditions: { uid: job.metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  return startLoop(context, { name: 'ttl-after-finished', queue, informers: [jobs], sync });
}

/** In wall time; `undefined` for a Job that stays, has not ended, or goes already. */
function expiresAt(job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  const { lastTransitionTime } = finishedCondition(job) ?? {};
  if (ttlSecondsAfterFinished === undefined || !lastTransitionTime) return undefined;
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  return Date.parse(lastTransitionTime) + ttlSecondsAfterFinished * 1000;
}
