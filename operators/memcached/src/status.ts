/**
 * What to report about a Memcached: pure functions from what was observed to status and Events.
 *
 * Available says whether every server that was asked for is ready; Progressing, whether the operator is still getting
 * there by itself; Degraded, whether something keeps it from getting there and a person should look.
 */
import type { ConditionInput } from '@keelson/core';
import type { Deployment, StatefulSet } from '@keelson/core/apps/v1';
import type { Pod } from '@keelson/core/v1';
import type { Memcached, MemcachedStatus } from './api/memcached.ts';
import { endpointsOf, podsOf } from './desired.ts';
import { approvalCommand, type Change } from './planned-change.ts';
import { versionOf } from './server-version.ts';
import { isTerminating, troubleOf, troubleOfFailure } from './trouble.ts';

type Type = 'Available' | 'Progressing' | 'Degraded';

const condition = <T extends Type>(
  type: T,
  status: ConditionInput['status'],
  reason: string,
  message: string,
): ConditionInput<T> => ({ type, status, reason, message });

/** What a pass has seen and decided. */
export interface Seen {
  /** While paused, there may be none. */
  readonly workload: Deployment | StatefulSet | undefined;
  readonly pods: readonly Pod[];
  /** What is about to happen, or under way. */
  readonly change?: Change | undefined;
  /** What a rollout waits for, in words. */
  readonly waitsFor?: string | undefined;
}

/** The status after a pass that could see to the workload. */
export function statusOf(memcached: Memcached, { workload, pods, change, waitsFor }: Seen): MemcachedStatus {
  const { size, paused = false } = memcached.spec;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, observedGeneration = 0 } = workload?.status ?? {};
  // Counts that speak of an older workload say nothing about this one; the pods themselves do.
  const isCurrent = workload !== undefined && observedGeneration >= (workload.metadata.generation ?? 0);
  // A rollout of a StatefulSet may take hours, in which those that wait for their turn serve all the same.
  const counted = workload?.kind === 'StatefulSet' ? readyReplicas : Math.min(readyReplicas, updatedReplicas);
  const ready = isCurrent ? counted : pods.filter((pod) => isReady(pod) && !isTerminating(pod)).length;
  const isAvailable = isCurrent && ready >= size;
  const isRolledOut = isAvailable && replicas === size && updatedReplicas >= size;
  const trouble = isRolledOut || workload === undefined ? undefined : troubleOf(workload, pods);
  const count = `${Math.min(ready, size)} of ${size} ${size === 1 ? 'server is' : 'servers are'} ready.`;
  const version = versionOf(workload?.spec.template?.spec?.containers[0]?.image ?? '')?.text;
  return {
    nodes: runningPods(pods),
    replicas,
    readyReplicas,
    updatedReplicas,
    selector: selectorOf(memcached),
    endpoints: endpointsOf(memcached),
    ...(version !== undefined && { version }),
    ...(change && { change }),
    conditions: [
      isAvailable
        ? condition('Available', 'True', 'AllServersReady', count)
        : condition('Available', 'False', 'ServersNotReady', count),
      progress({
        isPaused: paused,
        isRolledOut,
        isStuck: trouble !== undefined,
        count: waitsFor === undefined ? count : `${count} ${waitsFor}`,
        holdsBack:
          change?.held &&
          `Servers stay as they are until someone lets the change go: ${approvalCommand(memcached, change)}`,
      }),
      trouble
        ? condition('Degraded', 'True', trouble.reason, trouble.message)
        : condition('Degraded', 'False', 'AsExpected', 'Nothing is in the way.'),
    ],
  };
}

interface Progress {
  readonly isPaused: boolean;
  readonly isRolledOut: boolean;
  readonly isStuck: boolean;
  readonly count: string;
  readonly holdsBack: string | false | undefined;
}

function progress({ isPaused, isRolledOut, isStuck, count, holdsBack }: Progress) {
  if (isPaused) return condition('Progressing', 'False', 'Paused', 'Nothing is changed while spec.paused is true.');
  if (isRolledOut && holdsBack) return condition('Progressing', 'False', 'Held', holdsBack);
  if (isRolledOut) return condition('Progressing', 'False', 'RolledOut', 'Every server runs as specified.');
  // What is held may be what would help servers that are stuck.
  if (isStuck) return condition('Progressing', 'False', 'Stuck', holdsBack ? `${count} ${holdsBack}` : count);
  return condition('Progressing', 'True', 'RollingOut', count);
}

/** As an autoscaler reads it: whose load it has to measure. */
const selectorOf = (memcached: Memcached): string =>
  Object.entries(podsOf(memcached).labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');

/** The status after a pass that failed: what was known stays, and Degraded says what is in the way. */
export function statusOfFailure(memcached: Memcached, error: unknown): MemcachedStatus {
  const { nodes = [], replicas = 0, readyReplicas = 0, conditions = [], ...rest } = memcached.status ?? {};
  const { updatedReplicas, endpoints, version, change } = rest;
  const kept = (type: 'Available' | 'Progressing'): ConditionInput<typeof type> => {
    const previous = conditions.find((each) => each.type === type);
    // What held for an older generation is not known to hold for this one.
    if (previous === undefined || previous.observedGeneration !== memcached.metadata.generation) {
      return condition(type, 'Unknown', 'ReconcileFailed', 'Nothing is known about this generation yet.');
    }
    return condition(type, previous.status, previous.reason, previous.message);
  };
  const known = { nodes, replicas, readyReplicas, updatedReplicas, endpoints, version, change };
  const kepts = [kept('Available'), kept('Progressing')];
  return withFailure({ ...known, selector: selectorOf(memcached), conditions: kepts }, error);
}

/** What was seen, with the error as what a person should look at. */
export function withFailure({ conditions = [], ...seen }: MemcachedStatus, error: unknown): MemcachedStatus {
  const { reason, message } = troubleOfFailure(error);
  const others = conditions.filter(({ type }) => type !== 'Degraded');
  return { ...seen, conditions: [...others, condition('Degraded', 'True', reason, message)] };
}

export interface StatusEvent {
  readonly type: 'normal' | 'warning';
  readonly reason: string;
  readonly message: string;
}

/** What a user should be told when the status changes from what the Memcached has to `next`. */
export function eventsOf(memcached: Memcached, next: MemcachedStatus): readonly StatusEvent[] {
  return (next.conditions ?? []).flatMap(({ type, status, reason, message }) => {
    const previous = memcached.status?.conditions?.find((each) => each.type === type);
    const isNews = previous?.status !== status || previous.reason !== reason;
    if (!isNews) return [];
    if (type === 'Progressing') return spokenOf.has(reason) ? [{ type: 'normal', reason, message }] : [];
    if (status === 'True') return [{ type: type === 'Degraded' ? 'warning' : 'normal', reason, message }];
    if (type === 'Degraded' && previous?.status === 'True') return [{ type: 'normal', reason: 'Recovered', message }];
    return [];
  });
}

/** Of what Progressing says, what a person has brought about or has to end. */
const spokenOf: ReadonlySet<string> = new Set(['Paused', 'Held']);

/** Names of the pods in which a server runs. A pod that is being deleted still runs, but no longer counts. */
function runningPods(pods: readonly Pod[]): readonly string[] {
  return pods
    .filter((pod) => pod.status.phase === 'Running' && !isTerminating(pod))
    .map((pod) => pod.metadata.name)
    .sort();
}

const isReady = ({ status }: Pod): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
