/**
 * Which items of a list are which of another one, when nothing names them.
 *
 * Equal items are the same, in their order, as many as can be. Between two of these, as many changed items as there were
 * before are the same one by one; if there are more or fewer, they are new.
 */
import { equalJson } from '@keelson/core';

/** Beyond so many comparisons, items are taken for changed in their places. */
const mostComparisons = 250_000;

/** For each item of `now`, the index of the same item in `before`; -1 for a new one. */
export function alignedItems(before: readonly unknown[], now: readonly unknown[]): readonly number[] {
  const result = now.map(() => -1);
  const anchors = [...equalPairs(before, now), [before.length, now.length] as const];
  let [old, current] = [0, 0];
  for (const [anchorBefore, anchorNow] of anchors) {
    if (anchorBefore - old === anchorNow - current) {
      while (current < anchorNow) result[current++] = old++;
    }
    if (anchorNow < now.length) result[anchorNow] = anchorBefore;
    [old, current] = [anchorBefore + 1, anchorNow + 1];
  }
  return result;
}

/** Indexes of equal items, in order: a longest common subsequence. */
function* equalPairs(before: readonly unknown[], now: readonly unknown[]): Generator<readonly [number, number]> {
  if (before.length * now.length > mostComparisons) return;
  const rows = before.map((item) => now.map((other) => equalJson(item, other)));
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(now.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const row = lengths[i] as Uint32Array;
    for (let j = now.length - 1; j >= 0; j--) {
      row[j] = rows[i]?.[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  for (let i = 0, j = 0; i < before.length && j < now.length; ) {
    if (rows[i]?.[j]) yield [i++, j++];
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
}
