/**
 * The record of a cluster: what `up` will leave on the machine, written before it does anything there.
 *
 * Promises: every name by which something can be found again follows from it, so that `down` needs nothing else,
 * even if `up` was killed.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Environment } from '../machine/context.ts';
import { clustersDirectory } from '../machine/directories.ts';
import { hasErrorCode, UserFacingError } from '../machine/user-facing-error.ts';
import { openLedger } from '../processes/ledger.ts';
import { bootId, identify, isRunning, type ProcessIdentity } from '../processes/process-table.ts';
import { type Layout, layoutOf } from './layout.ts';

export interface ClusterRecord {
  readonly name: string;
  readonly version: string;
  /** Of the machine when the cluster was started: after another boot, no process of it can be running. */
  readonly bootId: string;
  /** The process that runs `up`, and for a cluster of a test the one it belongs to. */
  readonly startedBy: ProcessIdentity;
  /** Whether the cluster is of no use once that process has ended. */
  readonly private: boolean;
  /** Names the control groups of the node, if there is one. */
  readonly cgroup: string;
  /** Marks the node's interface. */
  readonly macAddress: string;
  /** Present once `up` has come to its end. */
  readonly ready?: Ready;
}

export interface Ready {
  readonly server: string;
  readonly pods: boolean;
  readonly auditLog: boolean;
  readonly startupMs: number;
}

export interface Cluster {
  readonly layout: Layout;
  /** Nothing if `up` was killed before it could write one, hence before it did anything else. */
  readonly record: ClusterRecord | undefined;
}

/** Takes the name, or throws the `UserFacingError` that says who has it. */
export function claimCluster(
  { name, version, private: isPrivate }: Pick<ClusterRecord, 'name' | 'version' | 'private'>,
  { env, random }: Context,
): { layout: Layout; record: ClusterRecord } {
  requireName(name);
  const layout = layoutOf(join(clustersDirectory(env), name));
  mkdirSync(clustersDirectory(env), { recursive: true });
  try {
    mkdirSync(layout.directory, { mode: 0o700 });
  } catch (error) {
    if (hasErrorCode(error, 'EEXIST'))
      throw new UserFacingError(alreadyThere({ layout, record: readRecord(layout) }, name));
    throw error;
  }
  const id = random.uuid().replaceAll('-', '').slice(0, 10);
  const startedBy = identify('self');
  if (!startedBy) throw new UserFacingError('The process table in /proc cannot be read.');
  const record: ClusterRecord = {
    name,
    version,
    bootId: bootId(),
    startedBy,
    private: isPrivate,
    cgroup: `keelson-${id}`,
    macAddress: `02:${id.match(/../g)?.join(':')}`, // 02: locally administered
  };
  writeRecord(layout, record);
  openLedger(layout.ledger, id);
  return { layout, record };
}

/** Written beside and renamed, so that a reader finds the old record or the new one and never half of one. */
export function writeRecord(layout: Layout, record: ClusterRecord): void {
  const unfinished = `${layout.record}.unfinished`;
  writeFileSync(unfinished, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(unfinished, layout.record);
}

export function findCluster(name: string, env: Environment): Cluster | undefined {
  requireName(name);
  const layout = layoutOf(join(clustersDirectory(env), name));
  return existsSync(layout.directory) ? { layout, record: readRecord(layout) } : undefined;
}

/** Clusters of tests whose process has ended without taking them down. */
export function abandonedClusters(env: Environment): Cluster[] {
  return clusterNames(env).flatMap((name) => {
    const cluster = findCluster(name, env);
    return cluster?.record?.private && !isAlive(cluster.record) ? [cluster] : [];
  });
}

/** Whether the process that started the cluster still runs. */
export function isAlive({ bootId: recordedBoot, startedBy }: ClusterRecord): boolean {
  return recordedBoot === bootId() && isRunning(startedBy);
}

function clusterNames(env: Environment): string[] {
  const directory = clustersDirectory(env);
  return existsSync(directory) ? readdirSync(directory) : [];
}

function readRecord(layout: Layout): ClusterRecord | undefined {
  try {
    return JSON.parse(readFileSync(layout.record, 'utf8')) as ClusterRecord;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function alreadyThere({ record }: Cluster, name: string): string {
  if (record?.ready) return `Cluster "${name}" is already up; take it down first, or choose another --name.`;
  if (record && isAlive(record)) {
    return `Cluster "${name}" is being started by process ${record.startedBy.pid}; wait for it, or choose another --name.`;
  }
  return `Cluster "${name}" was left behind by an "up" that did not end; take it down first.`;
}

function requireName(name: string): void {
  // It becomes a directory; and socket paths inside it must stay short.
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new UserFacingError(`"${name}" is not a name for a cluster; use up to 40 of a-z, 0-9 and "-".`);
  }
}
