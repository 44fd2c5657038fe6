/** What a Deployment notes on its ReplicaSets, and they on it: revisions, and the size they were scaled for. */
import type { Deployment, ReplicaSet } from '@keelson/core/apps/v1';
import { boundsOf, replicasOf } from './bounds.ts';

export const revision = 'deployment.kubernetes.io/revision';
const revisionHistory = 'deployment.kubernetes.io/revision-history';
const desiredReplicas = 'deployment.kubernetes.io/desired-replicas';
const maxReplicas = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a Deployment that are its own business; all others are copied to its ReplicaSet. */
const notCopied: readonly string[] = [
  'kubectl.kubernetes.io/last-applied-configuration',
  revision,
  revisionHistory,
  desiredReplicas,
  maxReplicas,
  'deprecated.deployment.rollback.to',
];

/** About 100 revisions. */
const maxHistoryLength = 2000;

export type Annotations = Readonly<Record<string, string>>;

/** The number of a ReplicaSet in the history; 0 when it has none that can be read. */
export function revisionOf({ metadata }: Pick<ReplicaSet, 'metadata'>): bigint {
  return readRevision(metadata.annotations?.[revision] ?? '') ?? 0n;
}

export function nextRevision(replicaSets: readonly ReplicaSet[]): bigint {
  return replicaSets.map(revisionOf).reduce((max, each) => (each > max ? each : max), 0n) + 1n;
}

/** How many replicas the Deployment wanted when it last scaled this ReplicaSet. */
export function desiredReplicasOf({ metadata }: ReplicaSet): number | undefined {
  return wholeNumber(metadata.annotations?.[desiredReplicas]);
}

export function maxReplicasOf({ metadata }: ReplicaSet): number | undefined {
  return wholeNumber(metadata.annotations?.[maxReplicas]);
}

/** For a ReplicaSet that is scaled: the size of the Deployment that it is scaled for. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const replicas = replicasOf(deployment);
  return { [desiredReplicas]: String(replicas), [maxReplicas]: String(replicas + boundsOf(deployment).surge) };
}

/**
 * The annotations of the newest ReplicaSet: its Deployment's, and its revision. One that returns from an older revision
 * (a rollback) gets a new number and remembers the old one.
 */
export function newestAnnotations(deployment: Deployment, current: Annotations, newRevision: bigint): Annotations {
  const copied = Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !notCopied.includes(name)),
  );
  const next = { ...current, ...copied };
  const old = current[revision];
  const oldNumber = old === undefined || old === '' ? 0n : readRevision(old);
  // A number that someone else wrote and that cannot be read is left alone, and so is one that is ahead of us.
  if (oldNumber === undefined || oldNumber >= newRevision) return next;
  const history = old === undefined ? {} : { [revisionHistory]: extended(current[revisionHistory] ?? '', old) };
  return { ...next, ...history, [revision]: String(newRevision) };
}

/** The oldest revisions go when the list becomes too long. */
function extended(history: string, old: string): string {
  const revisions = history === '' ? [old] : [...history.split(','), old];
  while (revisions.length > 1 && revisions.join().length > maxHistoryLength) revisions.shift();
  return revisions.join();
}

/** Revisions have 64 bits, more than a number can tell apart; an adopted ReplicaSet may bring any. */
function readRevision(text: string): bigint | undefined {
  if (!/^\d{1,19}$/.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}
