/** One pass over one Memcached: say what will change, apply what should exist, report what does. */
import {
  byLabel,
  equalJson,
  isControlledBy,
  isForbidden,
  isInvalid,
  isNotControlled,
  keyOf,
  watch,
} from '@keelson/core';
import { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import { PodDisruptionBudget } from '@keelson/core/policy/v1';
import { Pod, Service } from '@keelson/core/v1';
import { type ContextOf, done, type Reconcile, requeueAfter, TerminalError } from '@keelson/runtime';
import { Memcached } from './api/memcached.ts';
import {
  desiredDeployment,
  desiredPodDisruptionBudget,
  desiredService,
  desiredStatefulSet,
  podsOf,
} from './desired.ts';
import { nextPartition } from './partition.ts';
import { type Change, plannedChange, withRemark } from './planned-change.ts';
import { type Rollout, rolloutOf } from './rollout.ts';
import type { ReadStats } from './server-stats.ts';
import { eventsOf, statusOf, withFailure } from './status.ts';

export const declaration = {
  for: Memcached,
  owns: [Deployment, StatefulSet, Service, PodDisruptionBudget],
  // Pods of a Deployment belong to a ReplicaSet, so they find their Memcached by label.
  watches: [
    watch(Pod, {
      labels: { 'app.kubernetes.io/name': 'memcached', 'app.kubernetes.io/managed-by': 'memcached-operator' },
      to: byLabel('app.kubernetes.io/instance'),
    }),
  ],
} as const;

/** Drives one Memcached towards `spec.size` ready servers of what it asks for, and reports what it saw. */
export const reconcileWith =
  (readStats: ReadStats): Reconcile<typeof declaration> =>
  async (memcached, context) => {
    const { cache, owned, status, events, logger, clock, signal } = context;
    const { size: expect, paused, workload: kind } = memcached.spec;
    const pods = () => cache.list(Pod, podsOf(memcached));
    const report = async (workload: Deployment | StatefulSet | undefined, change?: Change, more: Report = {}) => {
      const seen = statusOf(memcached, { workload, pods: pods(), change, waitsFor: more.waitsFor });
      const next = more.refusal === undefined ? seen : withFailure(seen, more.refusal);
      await status.apply(next);
      return next;
    };
    const tell = (next: Awaited<ReturnType<typeof report>>) => {
      for (const { type, reason, message } of eventsOf(memcached, next)) events[type](reason, message);
    };

    const found = workloadOf(memcached, context);
    if (paused) {
      tell(await report(found, memcached.status?.change));
      return done;
    }
    refuseSecond(memcached, context);
    const actual = found?.spec.replicas ?? expect;
    if (actual !== expect) logger.info('Detected a drift', { expect, actual });
    const budget = cache.get(PodDisruptionBudget, keyOf(memcached));
    const { change: planned, template, changesTemplate } = plannedChange(memcached, { workload: found, budget });
    const set = found?.kind === 'StatefulSet' ? found : undefined;
    const rollout: Rollout =
      set === undefined || changesTemplate ? {} : await rolloutOf(memcached, set, pods(), { readStats, clock, signal });
    const { released, waitsFor, gaveUp, why, lookAgainMs } = rollout;
    if (why !== undefined) logger.debug('Waiting for a server to be warm', { why });
    const change = planned?.class === 'Roll' && gaveUp !== undefined ? withRemark(planned, gaveUp) : planned;
    // Said before it is done: whoever reads the status learns what is about to happen, and why.
    if (change !== undefined && !equalJson(change, memcached.status?.change)) await report(found, change, { waitsFor });

    const partition = nextPartition({ size: expect, set, pods: pods(), changesTemplate, released });
    const workload =
      kind === 'StatefulSet'
        ? await owned.apply(StatefulSet, desiredStatefulSet(memcached, partition, template))
        : await owned.apply(Deployment, desiredDeployment(memcached, template));
    if (gaveUp !== undefined) events.warning('WarmupTimedOut', `${gaveUp} The rollout goes on.`);
    const refusals = [
      await refused(memcached, owned.apply(Service, desiredService(memcached))),
      await refused(memcached, owned.apply(PodDisruptionBudget, desiredPodDisruptionBudget(memcached))),
    ];
    const refusal = refusals.find((each) => each !== undefined);
    tell(await report(workload, change?.class === 'Live' ? undefined : change, { waitsFor, refusal }));
    if (refusal !== undefined) throw refusal; // tried again, later each time
    // We own the workload and watch the pods, so their next change brings us back; time and warmth do not.
    return lookAgainMs === undefined ? done : requeueAfter(lookAgainMs);
  };

interface Report {
  readonly waitsFor?: string | undefined;
  readonly refusal?: unknown;
}

/** What runs the servers, if it is ours. */
function workloadOf(
  memcached: Memcached,
  { cache }: ContextOf<typeof declaration>,
  kind = memcached.spec.workload,
): Deployment | StatefulSet | undefined {
  const key = keyOf(memcached);
  const found = kind === 'StatefulSet' ? cache.get(StatefulSet, key) : cache.get(Deployment, key);
  return found && isControlledBy(found, memcached) ? found : undefined;
}

/** Servers that run already would get others beside them, behind the same name. */
function refuseSecond(memcached: Memcached, context: ContextOf<typeof declaration>): void {
  const { workload } = memcached.spec;
  const other = workload === 'StatefulSet' ? 'Deployment' : 'StatefulSet';
  if (workloadOf(memcached, context, other) === undefined) return;
  throw new TerminalError(
    `the ${other} of before runs the servers, and spec.workload has become ${workload}: delete that ${other}, and their items, to go on`,
  );
}

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
