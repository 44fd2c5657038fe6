/** Why a program ended, or does not do what is waited for: read from its log. */
import { readFileSync } from 'node:fs';
import { hasErrorCode, UserFacingError } from '../machine/user-facing-error.ts';
import type { Started } from './ledger.ts';
import { isRunning } from './process-table.ts';
import { lastLine } from './run.ts';

/** Throws when a program has ended, with the reason from its log. */
export function requireRunning({ name, identity, log }: Started): void {
  if (!isRunning(identity)) throw new UserFacingError(`${name} ended too early: ${reasonInLog(readLog(log))}`);
}

/** A sentence for when a program runs, and yet does not do what is waited for. */
export function logHint(started: Started | undefined): string {
  return started ? `${started.name} says: ${reasonInLog(readLog(started.log))}` : '';
}

/** The line of a log that says why: the last that is marked as an error, or else the last. */
export function reasonInLog(log: string): string {
  const lines = log.split('\n').filter((line) => line.trim() !== '');
  const marked = lines.filter((line) => /^(Error|error|panic|[EF]\d{4} )|"level":"(error|fatal)"/.test(line));
  return (marked.at(-1) ?? lastLine(log)) || 'it printed nothing';
}

function readLog(log: string): string {
  try {
    return readFileSync(log, 'utf8');
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return 'its log is gone, so someone took the cluster down';
    throw error;
  }
}
