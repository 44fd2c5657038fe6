/** Memory that processes hold right now, as Linux counts it (VmRSS): what they share with others counts for each. */
import { readdirSync, readFileSync } from 'node:fs';

/** The sum for those processes, in millions of bytes. */
export function residentMb(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + residentKib(readFileSync(`/proc/${pid}/status`, 'utf8')), 0) * 1.024e-3;
}

export function residentKib(status: string): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  if (kib === undefined) throw new RangeError('status: expected a line VmRSS, as of a running process');
  return Number(kib);
}

export interface ProcessFound {
  readonly pid: number;
  readonly command: readonly string[];
}

/** The processes that name `text` anywhere in their command. */
export function processesNaming(text: string): ProcessFound[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .map((entry) => ({ pid: Number(entry), command: commandOf(entry) }))
    .filter(({ command }) => command.some((word) => word.includes(text)));
}

function commandOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return []; // it has just ended
  }
}
