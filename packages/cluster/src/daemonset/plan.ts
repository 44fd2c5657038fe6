/**
 * What a DaemonSet does next: where it makes a pod, and which pods it deletes.
 *
 * Promises: one pod on each eligible node; during an update no more nodes without an available pod than
 * `maxUnavailable`, or, with `maxSurge`, no more second pods than that and no node without one. Pure.
 */
import type { DaemonSet } from '@keelson/core/apps/v1';
import type { Node, Pod } from '@keelson/core/v1';
import { countOf } from '../deployment/bounds.ts';
import { isAvailable, isReady } from '../replicaset/pods.ts';
import { eligibilityOf, hashLabel, isUpdated, targetNode } from './eligible-nodes.ts';

export interface View {
  readonly set: DaemonSet;
  /** Of the template that the set has now. */
  readonly hash: string;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly wallMs: number;
}

export interface Plan {
  /** The names of nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  /** Pods that have ended, which are deleted with a word. */
  readonly ended: readonly Pod[];
}

const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Pod): boolean => status.phase === 'Failed' || status.phase === 'Succeeded';

/** By node; what has ended and is going is nobody's business any more. */
export function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (hasEnded(pod) && isGoing(pod))) continue;
    const known = byNode.get(node);
    if (known) known.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

/** Those that have a node first, then the older. */
export function byAge(a: Pod, b: Pod): number {
  const text = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
  return (
    Number(!a.spec.nodeName) - Number(!b.spec.nodeName) ||
    text(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    text(a.metadata.name, b.metadata.name)
  );
}

/** What is missing or too much, whatever its revision. */
export function upkeep(view: View): Plan {
  const { set, nodes } = view;
  const byNode = podsByNode(view.pods);
  const create: string[] = [];
  const remove: Pod[] = [];
  const ended: Pod[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const { shouldRun, mayStay } = eligibilityOf(set, node);
    const present = byNode.get(name);
    const living = (present ?? []).filter((pod) => !isGoing(pod));
    if (shouldRun && !present) create.push(name);
    else if (!mayStay) remove.push(...living);
    else {
      const running = living.filter((pod) => !hasEnded(pod)).sort(byAge);
      ended.push(...living.filter(hasEnded));
      remove.push(...(allowsSurge(set) ? surplusOfTwo(view, running) : running.slice(1)));
      if (allowsSurge(set) && running.length === 0 && shouldRun) create.push(name);
    }
  }
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const stranded = [...byNode].filter(([name]) => !known.has(name)).flatMap(([, pods]) => pods);
  return { create, remove: [...remove, ...stranded.filter(({ spec }) => !spec.nodeName)], ended };
}

const allowsSurge = (set: DaemonSet): boolean => boundsOf(set, 1).surge > 0;

/** With surge, an old pod may stay while it is ready and the new one is not available yet. */
function surplusOfTwo({ set, hash, wallMs }: View, running: readonly Pod[]): readonly Pod[] {
  if (running.length <= 1) return [];
  const isNew = ({ metadata }: Pod) => metadata.labels?.[hashLabel] === hash;
  const [newest, oldest] = [running.find(isNew), running.find((pod) => !isNew(pod))];
  const surplus = running.filter((pod) => pod !== newest && pod !== oldest);
  const isReplaced =
    newest && oldest && (!isReady(oldest) || isAvailable(newest, set.spec.minReadySeconds ?? 0, wallMs));
  return isReplaced ? [...surplus, oldest] : surplus;
}

/** The next step of an update; only when there is nothing else to do. */
export function updateStep(view: View): Plan {
  const { set, nodes } = view;
  const eligible = nodes.filter((node) => eligibilityOf(set, node).shouldRun).map(({ metadata }) => metadata.name);
  const byNode = new Map(podsByNode(view.pods));
  for (const name of eligible) if (!byNode.has(name)) byNode.set(name, []);
  const bounds = boundsOf(set, eligible.length);
  const onNodes = [...byNode].map(([name, pods]) => stateOf(view, name, pods));
  const step = bounds.surge === 0 ? byDeletion(onNodes, bounds.unavailable) : bySurge(onNodes, eligible, bounds.surge);
  return { ...step, ended: [] };
}

interface OnNode {
  readonly name: string;
  readonly current: Pod | undefined;
  readonly old: Pod | undefined;
  /** More than one of a sort: upkeep comes first. */
  readonly isCrowded: boolean;
  readonly isAvailable: (pod: Pod) => boolean;
}

function stateOf({ set, hash, wallMs }: View, name: string, pods: readonly Pod[]): OnNode {
  const living = pods.filter((pod) => !isGoing(pod));
  const current = living.filter((pod) => isUpdated(pod, set, hash));
  const old = living.filter((pod) => !isUpdated(pod, set, hash));
  return {
    name,
    current: current[0],
    old: old[0],
    isCrowded: current.length > 1 || old.length > 1,
    isAvailable: (pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, wallMs),
  };
}

/** Old pods that serve nothing go at once, others as long as enough nodes are served. */
function byDeletion(nodes: readonly OnNode[], maxUnavailable: number): Pick<Plan, 'create' | 'remove'> {
  const replaceable: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const { current, old, isCrowded, isAvailable: serves } of nodes) {
    if (!isCrowded && old && !current) {
      if (serves(old)) candidates.push(old);
      else {
        replaceable.push(old);
        unavailable += 1;
      }
    } else if (isCrowded || !current || old || !serves(current)) unavailable += 1;
  }
  return { create: [], remove: [...replaceable, ...candidates.slice(0, Math.max(maxUnavailable - unavailable, 0))] };
}

/** A new pod beside an old one that serves, and in place of one that does not. */
function bySurge(
  nodes: readonly OnNode[],
  eligible: readonly string[],
  maxSurge: number,
): Pick<Plan, 'create' | 'remove'> {
  const remove: Pod[] = [];
  const misplaced: Pod[] = [];
  const allowed: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const { name, current, old, isCrowded, isAvailable: serves } of nodes) {
    if (isCrowded) {
      surging += 1;
      continue;
    }
    const shown = old ?? current;
    if (shown && serves(shown)) available += 1;
    if (!old) continue;
    const belongs = eligible.includes(name);
    if (current) {
      if (serves(current)) remove.push(old);
      else surging += 1;
    } else if (serves(old)) belongs ? candidates.push(name) : misplaced.push(old);
    else if (belongs) allowed.push(name);
    else remove.push(old);
  }
  const spare = Math.max(available - eligible.length, 0);
  return {
    create: [...allowed, ...candidates.slice(0, Math.max(maxSurge - surging, 0))],
    remove: [...remove, ...misplaced.slice(0, spare)],
  };
}

/** Percentages are of the nodes that should run a pod, rounded up. */
function boundsOf({ spec }: DaemonSet, nodes: number): { readonly surge: number; readonly unavailable: number } {
  const { maxSurge = 0, maxUnavailable = 1 } = spec.updateStrategy?.rollingUpdate ?? {};
  const surge = countOf(maxSurge, nodes, Math.ceil);
  const unavailable = countOf(maxUnavailable, nodes, Math.ceil);
  return { surge, unavailable: surge === 0 ? Math.max(unavailable, 1) : unavailable };
}
