/**
 * The ledger: which processes belong to a cluster. They outlive the process that starts them, and are found again
 * even if that one is killed at any instant.
 *
 * Promises: a process is on record before it does anything; once the ledger is closed, no recorded program begins.
 * How: each process first writes its own record, then looks whether the ledger is open, and only then becomes its
 * program. Closing happens in the opposite order (close, then read the records), so of two that meet, at least one
 * sees the other: either the record is read and the process stopped, or the process finds the ledger closed and ends.
 * The next ledger in the same place has another id, so that a process which is late by a whole cluster ends, too.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from '@keelson/core';
import type { Environment } from '../machine/context.ts';
import { hasErrorCode, UserFacingError } from '../machine/user-facing-error.ts';
import { until } from '../machine/wait.ts';
import { identify, isRunning, type ProcessIdentity, parseStat, signalProcess } from './process-table.ts';
import type { Command } from './run.ts';

export interface Ledger {
  /** The file whose presence says that the ledger is open, and which holds its id. */
  readonly gate: string;
  /** One file per process, holding the line of /proc/PID/stat that it wrote. */
  readonly records: string;
  /** One file per process with what it prints. */
  readonly logs: string;
}

export interface Started {
  readonly name: string;
  readonly identity: ProcessIdentity;
  readonly log: string;
}

export interface RecordedProcess {
  readonly name: string;
  readonly identity: ProcessIdentity;
}

export function ledgerIn(directory: string): Ledger {
  return { gate: join(directory, 'open'), records: join(directory, 'processes'), logs: join(directory, 'logs') };
}

/** `id`: one that no ledger in this place had before. */
export function openLedger(ledger: Ledger, id: string): void {
  mkdirSync(ledger.records, { recursive: true });
  mkdirSync(ledger.logs, { recursive: true });
  writeFileSync(ledger.gate, `${id}\n`);
}

// /proc/self and not $$: in a new PID namespace, $$ is 1 while the old /proc still tells the id outside.
const recordThenBecome =
  'is_open() { read -r id <"$2" && [ "$id" = "$3" ]; }; read -r stat </proc/self/stat && ' +
  'is_open "$@" && printf "%s\\n" "$stat" >"$1" && is_open "$@" && shift 3 && exec "$@"';

/** The command, made to record itself first. */
export function recorded(ledger: Ledger, name: string, command: Command): Command {
  const id = readOrEmpty(ledger.gate).trim() || 'closed';
  return ['sh', '-c', recordThenBecome, name, join(ledger.records, name), ledger.gate, id, ...command];
}

export interface LaunchOptions {
  readonly env: Environment;
  readonly cwd?: string;
}

/** Starts a recorded process in a session of its own; what it prints goes to its log. */
export function launch(ledger: Ledger, name: string, command: Command, options: LaunchOptions): Started {
  const log = join(ledger.logs, `${name}.log`);
  const output = openSync(log, 'a');
  const [program, ...args] = recorded(ledger, name, command);
  let child: ChildProcess;
  try {
    child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
  child.on('error', () => {}); // told below: it has no id
  child.unref();
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (!identity) throw new UserFacingError(`${name} could not be started.`);
  return { name, identity, log };
}

export function recordedProcesses(ledger: Ledger): RecordedProcess[] {
  return namesIn(ledger.records).flatMap((name) => {
    // A record may still be empty; its writer will find the ledger closed.
    const stat = parseStat(readOrEmpty(join(ledger.records, name)));
    return stat ? [{ name, identity: { pid: stat.pid, startTime: stat.startTime } }] : [];
  });
}

/** Closes the ledger and ends everything on record. */
export async function closeLedger(ledger: Ledger, clock: Clock): Promise<void> {
  rmSync(ledger.gate, { force: true });
  const running = recordedProcesses(ledger).filter(({ identity }) => isRunning(identity));
  await stop(running, 'SIGKILL', clock, 300_000);
  // Whoever inherited them reaps them in its own time. A process table without them is nicer, but not a must.
  const unreaped = () => running.some(({ identity }) => identify(identity.pid)?.startTime === identity.startTime);
  const startedAt = clock.monotonic();
  while (unreaped() && clock.monotonic() - startedAt < 5000) await sleep(clock, 10);
}

export async function stop(
  processes: readonly RecordedProcess[],
  signal: NodeJS.Signals,
  clock: Clock,
  deadlineMs: number,
): Promise<void> {
  for (const { identity } of processes) signalProcess(identity, signal);
  const remaining = () => processes.filter(({ identity }) => isRunning(identity));
  await until(() => (remaining().length === 0 ? true : undefined), {
    clock,
    what: `the end of ${processes.map(({ name }) => name).join(', ')} after ${signal}`,
    deadlineMs,
    everyMs: 10,
  });
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return ''; // taken down by someone else at the same time
    throw error;
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}
