/**
 * The kernel's table of processes, as far as it answers one question: is this still the process that we started?
 *
 * A process id alone does not tell, since ids are used again; the id together with the start time does (until the
 * machine boots again, which `bootId` tells).
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** In clock ticks since boot: field 22 of /proc/PID/stat. */
  readonly startTime: string;
}

export interface ProcessStat extends ProcessIdentity {
  readonly state: string;
}

/** Reads a line of /proc/PID/stat. The second field is the program's name, which may hold spaces and parentheses. */
export function parseStat(line: string): ProcessStat | undefined {
  const match = /^(\d+) \(.*\) (.*)$/s.exec(line.trim());
  const [, pid, rest] = match ?? [];
  const fields = rest?.split(' ') ?? [];
  const [state, startTime] = [fields[0], fields[19]];
  if (pid === undefined || state === undefined || startTime === undefined) return undefined;
  return { pid: Number(pid), state, startTime };
}

function stat(pid: number | 'self'): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

export function identify(pid: number | 'self'): ProcessIdentity | undefined {
  const found = stat(pid);
  return found && { pid: found.pid, startTime: found.startTime };
}

/** False also for a zombie: it has ended, only its parent has not asked yet. */
export function isRunning(identity: ProcessIdentity): boolean {
  const found = stat(identity.pid);
  if (found === undefined || found.startTime !== identity.startTime) return false;
  return !'ZX'.includes(found.state) || hasOtherThreads(identity.pid);
}

/** The first thread of a killed process may be a zombie while others still hold its ports. */
function hasOtherThreads(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).length > 1;
  } catch {
    return false;
  }
}

/** Signals the process if it is still the same one. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(identity)) return;
  try {
    process.kill(identity.pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
