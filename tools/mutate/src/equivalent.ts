/** Mutants that no test can notice, each with the reason, listed in a file beside the tests and checked against the sources. */
import { existsSync, readFileSync } from 'node:fs';

/** A mutant, told apart by what stands in the source: lines may move. */
export interface Listed {
  /** From the package's folder. */
  readonly file: string;
  /** The line on which it begins, trimmed. */
  readonly source: string;
  readonly from: string;
  readonly to: string;
}

/** The same for the same edit of the same line. */
export const nameOf = ({ file, source, from, to }: Listed): string => JSON.stringify([file, source, from, to]);

/** The mutants that are not listed, and how many are. Throws for an entry that fits no mutant, if all are given. */
export function withoutListed<T extends Listed>(
  mutants: readonly T[],
  path: string,
  areAll: boolean,
): { readonly kept: readonly T[]; readonly listed: number } {
  const entries = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as (Listed & { reason: string })[]) : [];
  const names = new Set(mutants.map(nameOf));
  const stale = entries.filter((entry) => !names.has(nameOf(entry)) || !entry.reason);
  if (areAll && stale[0] !== undefined) throw new Error(`${path} lists what is no mutant: ${JSON.stringify(stale[0])}`);
  const listed = new Set(entries.map(nameOf));
  const kept = mutants.filter((mutant) => !listed.has(nameOf(mutant)));
  return { kept, listed: mutants.length - kept.length };
}
