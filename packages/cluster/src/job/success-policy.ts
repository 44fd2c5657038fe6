/** A Job's success policy: which of its rules the succeeded indexes meet. */
import type { JobSpec } from '@keelson/core/batch/v1';
import { countOf, type Indexes, parseIndexes, union } from './indexes.ts';

/** The index of the first rule that is met. */
export function metRule({ successPolicy, completions = 0 }: JobSpec, succeeded: Indexes): number | undefined {
  if (!successPolicy || succeeded.length === 0) return undefined;
  const rule = successPolicy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && countOf(succeeded) >= succeededCount;
    const wanted = parseIndexes(succeededIndexes, completions);
    if (wanted.length === 0) return false;
    const met = countOf(wanted) + countOf(succeeded) - countOf(union(wanted, succeeded));
    return met === countOf(wanted) || (succeededCount !== undefined && met >= succeededCount);
  });
  return rule === -1 ? undefined : rule;
}
