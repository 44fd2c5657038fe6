/**
 * A rollout of a StatefulSet: which pod may be replaced now, asking the servers whether they are warm where that is wanted.
 *
 * Promises: nothing is kept between two looks; one look asks at most six servers, all at once; a server that cannot be
 * asked, or says nonsense, is not warm, and after `timeoutSeconds` the rollout goes on without it, and says so.
 */
import type { Clock } from '@keelson/core';
import type { StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import type { Memcached } from './api/memcached.ts';
import { nextStep, ordinalOf, readySince } from './partition.ts';
import type { ReadStats, ServerStats } from './server-stats.ts';
import { type Warmth, warmthOf } from './warmth.ts';

export interface World {
  readonly readStats: ReadStats;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Rollout {
  /** The ordinal that may be replaced now. */
  readonly released?: number;
  /** When to look again, if nothing that is watched will tell. */
  readonly lookAgainMs?: number;
  /** What it waits for, for a person. It stays the same while it is so. */
  readonly waitsFor?: string;
  /** What went wrong and is not waited for any longer. */
  readonly gaveUp?: string;
  /** Why it waits, with numbers; for the log. */
  readonly why?: string;
}

/** So that no more than eight are replaced in a minute: clients notice each, and ten writes a minute are a storm to the engine. */
const leastSeconds = 7;

/** How often a server is asked whether it is warm. */
const pollMs = 10_000;

/** How many of those that are still to be replaced are asked how much they hold. */
const mostAsked = 5;

/** What may happen next to a StatefulSet whose template is as it should be. */
export async function rolloutOf(
  { spec }: Memcached,
  set: StatefulSet,
  pods: readonly Pod[],
  world: World,
): Promise<Rollout> {
  const { minReadySeconds = 0, warmup } = spec.rollout ?? {};
  const now = world.clock.now();
  const step = nextStep({ set, pods, minReadySeconds: Math.max(minReadySeconds, leastSeconds), now });
  if (step.type === 'wait') return { lookAgainMs: step.forMs };
  if (step.type !== 'replace') return {};
  const { next, youngest, waiting } = step;
  const released = ordinalOf(next);
  if (warmup === undefined || youngest === undefined) return { released };
  const warmth = await askedWarmth(youngest, waiting, warmup, world);
  if (warmth.isWarm) return { released };
  const leftMs = (readySince(youngest) ?? 0) + warmup.timeoutSeconds * 1000 - now;
  const name = youngest.metadata.name;
  if (leftMs <= 0) {
    return { released, gaveUp: `${name} was not warm within ${warmup.timeoutSeconds} s (${warmth.why}).` };
  }
  const waitsFor = `${name} fills its cache before ${next.metadata.name} is replaced.`;
  return { waitsFor, why: warmth.why, lookAgainMs: Math.min(pollMs, leftMs) };
}

async function askedWarmth(
  youngest: Pod,
  waiting: readonly Pod[],
  goal: NonNullable<NonNullable<Memcached['spec']['rollout']>['warmup']>,
  { readStats, clock, signal }: World,
): Promise<Warmth> {
  const ask = async (pod: Pod): Promise<ServerStats | Error> => {
    const { podIP } = pod.status;
    if (!podIP) return new Error('it has no address');
    return await readStats(podIP, { clock, signal }).catch((error: unknown) =>
      error instanceof Error ? error : new Error(String(error)),
    );
  };
  // Those that are down hold nothing that could be a measure.
  const others = goal.items === undefined ? [] : waiting.filter((pod) => readySince(pod) !== undefined);
  const [server, ...measures] = await Promise.all([ask(youngest), ...others.slice(0, mostAsked).map(ask)]);
  signal.throwIfAborted();
  if (server === undefined || server instanceof Error) return { isWarm: false, why: `${server?.message}` };
  const known = measures.filter((each) => !(each instanceof Error));
  if (measures.length > 0 && known.length === 0) return { isWarm: false, why: 'no other server tells its stats' };
  return warmthOf(server, known as readonly ServerStats[], goal);
}
