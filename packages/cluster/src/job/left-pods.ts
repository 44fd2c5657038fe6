/**
 * Pods that no Job counts any more lose the finalizer that keeps them: those whose Job has ended or is gone, and those
 * that belong to nobody.
 */
import { createWorkQueue } from '@keelson/client';
import { controllerOf, keyOf } from '@keelson/core';
import { Job } from '@keelson/core/batch/v1';
import { Pod } from '@keelson/core/v1';
import type { ControllerContext, RunningController } from '../context.ts';
import { startLoop } from '../control-loop.ts';
import { controlledBy, controllerIndex } from '../ownership/controller-index.ts';
import { finishedCondition } from './conditions.ts';
import { isManagedElsewhere } from './managed-by.ts';
import { isTracked } from './pods.ts';
import { releasePod } from './release.ts';

export function startLeftPods(context: ControllerContext): RunningController {
  const { client, clock, informers, signal } = context;
  const queue = createWorkQueue({ clock });
  const jobs = informers.informer(Job);
  const pods = informers.informer(Pod, { indexes: controllerIndex });
  pods.subscribe(
    ({ type, object }) => {
      if (type === 'deleted' || !isTracked(object)) return;
      // Of a pod that lives, its Job may only not have been seen yet.
      const isGoing = object.metadata.deletionTimestamp !== undefined;
      if (isGoing || !controllerOf(object)) queue.add(keyOf(object));
    },
    { signal },
  );
  jobs.subscribe(
    ({ type, object }) => {
      if (type !== 'deleted' && !finishedCondition(object)) return;
      for (const pod of controlledBy(pods.store, object.metadata.uid)) if (isTracked(pod)) queue.add(keyOf(pod));
    },
    { signal },
  );
  const isLeft = (pod: Pod): boolean => {
    const owner = controllerOf(pod);
    if (!owner) return true;
    if (owner.kind !== Job.kind || owner.apiVersion !== 'batch/v1') return false;
    const job = jobs.store.get(`${pod.metadata.namespace}/${owner.name}`);
    if (job?.metadata.uid !== owner.uid) return true;
    return finishedCondition(job) !== undefined && !isManagedElsewhere(job);
  };
  return startLoop(context, {
    name: 'job-left-pods',
    queue,
    informers: [jobs, pods],
    sync: async (key) => {
      const pod = pods.store.get(key);
      if (pod && isLeft(pod)) await releasePod(client, pod);
    },
  });
}
