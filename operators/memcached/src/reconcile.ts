/** One pass over one Memcached: apply what should exist, report what does. */
import { byLabel, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { Pod } from '@keelson/core/v1';
import { done, type Reconcile } from '@keelson/runtime';
import { Memcached } from './api/v1alpha1.ts';
import { desiredDeployment, podsOf } from './desired.ts';
import { eventsOf, statusOf } from './status.ts';

export const declaration = {
  for: Memcached,
  owns: [Deployment],
  // Pods belong to a ReplicaSet, so they find their Memcached by label.
  watches: [
    watch(Pod, {
      labels: { 'app.kubernetes.io/name': 'memcached', 'app.kubernetes.io/managed-by': 'memcached-operator' },
      to: byLabel('app.kubernetes.io/instance'),
    }),
  ],
} as const;

/** Drives one Memcached towards `spec.size` ready servers and reports what it saw. */
export const reconcileMemcached: Reconcile<typeof declaration> = async (
  memcached,
  { cache, owned, status, events },
) => {
  const deployment = await owned.apply(Deployment, desiredDeployment(memcached));
  const next = statusOf(memcached, deployment, cache.list(Pod, podsOf(memcached)));
  await status.apply(next);
  for (const { type, reason, message } of eventsOf(memcached, next)) events[type](reason, message);
  return done; // we own the Deployment and watch the pods, so their next change brings us back
};
