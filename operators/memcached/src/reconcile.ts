/** One pass over one Memcached: apply what should exist, report what does. */
import { byLabel, isControlledBy, isForbidden, isInvalid, isNotControlled, keyOf, watch } from '@keelson/core';
import { Deployment } from '@keelson/core/apps/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Pod, Service } from '@keelson/core/v1';
import { done, type Reconcile } from '@keelson/runtime';
import { Memcached } from './api/memcached.ts';
import { desiredDeployment, desiredPodDisruptionBudget, desiredService, podsOf } from './desired.ts';
import { eventsOf, statusOf, withFailure } from './status.ts';

export const declaration = {
  for: Memcached,
  owns: [Deployment, Service, PodDisruptionBudget],
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
  { cache, owned, status, events, logger },
) => {
  const report = async (deployment: Deployment | undefined, refusal?: unknown) => {
    const seen = statusOf(memcached, deployment, cache.list(Pod, podsOf(memcached)));
    const next = refusal === undefined ? seen : withFailure(seen, refusal);
    await status.apply(next);
    for (const { type, reason, message } of eventsOf(memcached, next)) events[type](reason, message);
  };
  const { size: expect, paused } = memcached.spec;
  const existing = cache.get(Deployment, keyOf(memcached));
  const found = existing && isControlledBy(existing, memcached) ? existing : undefined;
  if (paused) {
    await report(found);
    return done;
  }
  const actual = found?.spec.replicas ?? expect;
  if (actual !== expect) logger.info('Detected a drift', { expect, actual });
  const deployment = await owned.apply(Deployment, desiredDeployment(memcached));
  const refusals = [
    await refused(memcached, owned.apply(Service, desiredService(memcached))),
    await refused(memcached, owned.apply(PodDisruptionBudget, desiredPodDisruptionBudget(memcached))),
  ];
  const refusal = refusals.find((each) => each !== undefined);
  await report(deployment, refusal);
  if (refusal !== undefined) throw refusal; // tried again, later each time
  return done; // we own the Deployment and watch the pods, so their next change brings us back
};

/** Why something cannot be as described, when the servers can be looked after all the same. */
async function refused({ metadata }: Memcached, applied: Promise<unknown>): Promise<unknown> {
  try {
    await applied;
    return undefined;
  } catch (error) {
    const { kind, name } = (isNotControlled(error) && error.controller) || {};
    // What a Memcached of this name has left behind goes by itself.
    if (kind === Memcached.kind && name === metadata.name) throw error;
    if (isNotControlled(error) || isForbidden(error) || isInvalid(error)) return error;
    throw error;
  }
}
