/**
 * How many pods there should be for what they use.
 *
 * Pods that have not begun, or have only just, count as idle when more would be needed, and not at all otherwise; pods of
 * which nothing is known count against the change: so that what is not known never makes the step larger.
 */
import { parseQuantity, unitsOf } from '@keelson/core';
import { amountsOf, podRequests } from '@keelson/core/quota';
import type { Pod } from '@keelson/core/v1';

/** What the pods use, in thousandths, by their names. */
export interface Usages {
  readonly values: ReadonlyMap<string, number>;
  /** When it was measured, and over how long, in milliseconds. */
  readonly measuredAt: number;
  readonly windowMs: number;
}

export interface Tolerances {
  readonly up: number;
  readonly down: number;
}

export interface Count {
  readonly replicas: number;
  /** The average of a pod, in thousandths. */
  readonly average: number;
  /** Of what was asked for, in percent. */
  readonly utilization?: number;
}

/** What cannot be computed, in the real controller's words. */
export class NoCount extends Error {}

/** How long a pod may take to warm up, and until its first readiness is believed. */
const initializationMs = 5 * 60_000;
const readinessDelayMs = 30_000;

interface Groups {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

function isWarmingUp({ status }: Pod, { measuredAt, windowMs }: Usages, now: number): boolean {
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
  if (ready === undefined || !status?.startTime) return true;
  const started = Date.parse(status.startTime);
  const changed = Date.parse(ready.lastTransitionTime ?? status.startTime);
  if (started + initializationMs > now) return ready.status === 'False' || measuredAt < changed + windowMs;
  return ready.status === 'False' && started + readinessDelayMs > changed;
}

function grouped(pods: readonly Pod[], usages: Usages, resource: string, now: number): Groups {
  const [unready, missing, ignored]: [string[], string[], string[]] = [[], [], []];
  let ready = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    if (deletionTimestamp !== undefined || phase === 'Failed') ignored.push(name);
    else if (phase === 'Pending') unready.push(name);
    else if (!usages.values.has(name)) missing.push(name);
    else if (resource === 'cpu' && isWarmingUp(pod, usages, now)) unready.push(name);
    else ready += 1;
  }
  return { ready, unready, missing, ignored };
}

const isWithin = ({ up, down }: Tolerances, ratio: number): boolean => ratio >= 1 - down && ratio <= 1 + up;

/** What a pod asks for, in thousandths; all its containers must say it, or the one that is meant. */
function requestOf({ metadata, spec }: Pod, resource: string, container: string | undefined): number {
  const own = container === undefined && amountsOf(spec?.resources?.requests).size > 0;
  if (own && spec !== undefined) {
    const amount = podRequests(spec).get(resource);
    if (amount === undefined) throw new NoCount(`missing pod-level request for ${resource} in Pod ${metadata.name}`);
    return Number(unitsOf(amount, -3));
  }
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const all = [...(spec?.containers ?? []), ...sidecars];
  const meant = container === undefined ? all : all.filter(({ name }) => name === container);
  if (container !== undefined && meant.length === 0) {
    throw new NoCount(`container ${container} not found in Pod ${metadata.name}`);
  }
  return meant.reduce((sum, { name, resources }) => {
    const text = resources?.requests?.[resource];
    if (text === undefined) {
      throw new NoCount(`missing request for ${resource} in container ${name} of Pod ${metadata.name}`);
    }
    return sum + Number(unitsOf(parseQuantity(text), -3));
  }, 0);
}

export interface CountQuestion {
  readonly pods: readonly Pod[];
  readonly usages: Usages;
  readonly resource: string;
  readonly container?: string | undefined;
  readonly currentReplicas: number;
  readonly tolerances: Tolerances;
  /** Percent of what is asked for, or thousandths of each pod. */
  readonly target:
    | { readonly type: 'utilization'; readonly percent: number }
    | { readonly type: 'average'; readonly value: number };
  readonly now: number;
}

export function replicaCount(question: CountQuestion): Count {
  const { pods, usages, resource, container, currentReplicas, tolerances, target, now } = question;
  if (pods.length === 0) throw new NoCount('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = grouped(pods, usages, resource, now);
  const values = new Map(usages.values);
  for (const name of [...ignored, ...unready]) values.delete(name);
  if (values.size === 0) throw new NoCount('did not receive metrics for targeted pods (pods might be unready)');
  const requests =
    target.type === 'utilization'
      ? new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, resource, container)]))
      : undefined;
  const measure = () => measured(values, requests, target);
  const { ratio, average, utilization } = measure();
  const seen = { average, ...(utilization !== undefined && { utilization }) };
  const growsWithUnready = unready.length > 0 && ratio > 1;
  if (!growsWithUnready && missing.length === 0) {
    return { replicas: isWithin(tolerances, ratio) ? currentReplicas : Math.ceil(ratio * ready), ...seen };
  }
  const assumed = (name: string): number => {
    if (ratio > 1) return 0;
    if (target.type === 'average') return target.value;
    return Math.trunc(((requests?.get(name) ?? 0) * Math.max(100, target.percent)) / 100);
  };
  if (ratio !== 1) for (const name of missing) values.set(name, assumed(name));
  if (growsWithUnready) for (const name of unready) values.set(name, 0);
  const again = measure().ratio;
  const turned = (ratio < 1 && again > 1) || (ratio > 1 && again < 1);
  if (isWithin(tolerances, again) || turned) return { replicas: currentReplicas, ...seen };
  const replicas = Math.ceil(again * values.size);
  const isBackwards = (again < 1 && replicas > currentReplicas) || (again > 1 && replicas < currentReplicas);
  return { replicas: isBackwards ? currentReplicas : replicas, ...seen };
}

function measured(
  values: ReadonlyMap<string, number>,
  requests: ReadonlyMap<string, number> | undefined,
  target: CountQuestion['target'],
): { readonly ratio: number; readonly average: number; readonly utilization?: number } {
  const known = [...values].filter(([name]) => requests === undefined || requests.has(name));
  const used = known.reduce((sum, [, value]) => sum + value, 0);
  if (target.type === 'average') {
    const average = Math.trunc(used / known.length);
    return { ratio: average / target.value, average };
  }
  const asked = known.reduce((sum, [name]) => sum + (requests?.get(name) ?? 0), 0);
  if (asked === 0) throw new NoCount('no metrics returned matched known pods');
  const utilization = Math.trunc((used * 100) / asked);
  return { ratio: utilization / target.percent, average: Math.trunc(used / known.length), utilization };
}
