/** Time that processes have spent on processors, user and system, as Linux counts it. */
import { readFileSync } from 'node:fs';

/** Of all those processes together; Linux counts in hundredths of a second. */
export function processorMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksIn(readFileSync(`/proc/${pid}/stat`, 'utf8')), 0) * 10;
}

/** `stat` is one line; the second field is the name in brackets, which may contain anything. */
export function ticksIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
